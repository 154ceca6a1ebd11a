// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/call_divisions.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

/// Most elements that a function may divide inline. Below, divisions stay inline, so that constants stay in registers
/// across them; above, they take more than a second to compile.
constexpr unsigned kMostElements = 1000;

bool isLongDivision(const llvm::Instruction& instruction) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  constexpr unsigned kLong = 64;
  return instruction.isIntDivRem() && type != nullptr && type->getScalarSizeInBits() == kLong &&
         !llvm::isa<llvm::Constant>(instruction.getOperand(1));
}

/// The function to which such divisions are outlined.
llvm::Function& dividerOf(llvm::Instruction& division) {
  llvm::Module& module = *division.getModule();
  llvm::Type* type = division.getType();
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  const std::string name =
      ("clotho." + llvm::Twine(division.getOpcodeName()) + ".v" + llvm::Twine(lanes) + "i64").str();
  if (llvm::Function* known = module.getFunction(name)) return *known;
  auto* made = llvm::Function::Create(llvm::FunctionType::get(type, {type, type}, /*isVarArg=*/false),
                                      llvm::GlobalValue::InternalLinkage, name, module);
  for (const auto attribute : {llvm::Attribute::NoInline, llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn})
    made->addFnAttr(attribute);
  made->setDoesNotAccessMemory();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", made));
  builder.CreateRet(builder.CreateBinOp(static_cast<llvm::Instruction::BinaryOps>(division.getOpcode()),
                                        made->getArg(0), made->getArg(1)));
  return *made;
}

} // namespace

llvm::PreservedAnalyses CallDivisionsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::SmallVector<llvm::Instruction*, 0> called;
  for (llvm::Function& function : module) {
    const std::size_t before = called.size();
    unsigned elements = 0;
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (isLongDivision(instruction)) {
        called.push_back(&instruction);
        elements += llvm::cast<llvm::FixedVectorType>(instruction.getType())->getNumElements();
      }
    if (elements <= kMostElements) called.truncate(before);
  }
  for (llvm::Instruction* division : called) {
    llvm::IRBuilder<> builder(division);
    llvm::CallInst* call =
        builder.CreateCall(&dividerOf(*division), {division->getOperand(0), division->getOperand(1)});
    call->takeName(division);
    division->replaceAllUsesWith(call);
    division->eraseFromParent();
  }
  if (called.empty()) return llvm::PreservedAnalyses::all();
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
