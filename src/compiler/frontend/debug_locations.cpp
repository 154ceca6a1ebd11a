// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/debug_locations.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

/// Removes the operation DW_OP_constu <space> DW_OP_swap DW_OP_xderef.
llvm::DIExpression* flattened(const llvm::DIExpression& expression) {
  namespace dwarf = llvm::dwarf;
  const llvm::ArrayRef<std::uint64_t> all = expression.getElements();
  llvm::SmallVector<std::uint64_t, 8> remaining;
  for (std::size_t i = 0; i < all.size();) {
    const bool isSpace = i + 3 < all.size() && all[i] == dwarf::DW_OP_constu && all[i + 2] == dwarf::DW_OP_swap &&
                         all[i + 3] == dwarf::DW_OP_xderef;
    if (isSpace) {
      i += 4;
      continue;
    }
    const std::size_t size = llvm::DIExpression::ExprOperand(&all[i]).getSize();
    remaining.append(all.begin() + i, all.begin() + i + size);
    i += size;
  }
  return llvm::DIExpression::get(expression.getContext(), remaining);
}

} // namespace

void flattenDebugLocations(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange()))
        record.setExpression(flattened(*record.getExpression()));
  for (llvm::GlobalVariable& variable : module.globals()) {
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> expressions;
    variable.getDebugInfo(expressions);
    if (expressions.empty()) continue;
    variable.eraseMetadata(llvm::LLVMContext::MD_dbg);
    for (llvm::DIGlobalVariableExpression* expression : expressions)
      variable.addDebugInfo(llvm::DIGlobalVariableExpression::get(module.getContext(), expression->getVariable(),
                                                                  flattened(*expression->getExpression())));
  }
}

} // namespace clotho::compiler
