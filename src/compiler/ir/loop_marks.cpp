// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/loop_marks.hpp"

#include "compiler/ir/marks.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace clotho::compiler {

bool isMarkedIndependent(const llvm::Instruction& branch) {
  const llvm::MDNode* properties = branch.getMetadata(llvm::LLVMContext::MD_loop);
  return properties != nullptr &&
         llvm::any_of(llvm::drop_begin(properties->operands()), [](const llvm::MDOperand& each) {
           const auto* property = llvm::dyn_cast<llvm::MDNode>(each);
           const auto* name = property == nullptr || property->getNumOperands() == 0
                                  ? nullptr
                                  : llvm::dyn_cast<llvm::MDString>(property->getOperand(0));
           return name != nullptr && name->getString() == kIndependentLoopName;
         });
}

std::optional<std::uint64_t> subGroupLoopWidth(const llvm::Loop& loop) {
  const llvm::MDNode* property = llvm::findOptionMDForLoop(&loop, kSubGroupLoopName);
  if (property == nullptr || property->getNumOperands() != 2) return std::nullopt;
  return llvm::mdconst::extract<llvm::ConstantInt>(property->getOperand(1))->getZExtValue();
}

void setLoopProperties(llvm::Instruction& branch, llvm::ArrayRef<llvm::Metadata*> properties) {
  llvm::SmallVector<llvm::Metadata*, 8> operands = {nullptr};
  operands.append(properties.begin(), properties.end());
  llvm::MDNode* node = llvm::MDNode::getDistinct(branch.getContext(), operands);
  node->replaceOperandWith(0, node);
  branch.setMetadata(llvm::LLVMContext::MD_loop, node);
}

void setLoopProperty(llvm::Instruction& branch, const char* name) {
  llvm::LLVMContext& context = branch.getContext();
  setLoopProperties(branch, {llvm::MDNode::get(context, llvm::MDString::get(context, name))});
}

} // namespace clotho::compiler
