// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/extend_indices.hpp"

#include "compiler/analysis/index_bounds.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/run_pass.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kDepthLimit = 6;

/// Splits ids of the lane dimension off extended 32-bit sums that are terms of 64-bit sums. The size of memory does not
/// bound such a 32-bit sum, so it might wrap around between lanes; the id alone is bounded.
class IdSplitter {
 public:
  explicit IdSplitter(const llvm::DataLayout& layout) : layout_(layout) {}

  bool isWanted(const llvm::SExtInst& extension) const {
    return extension.getSrcTy()->isIntegerTy(32) && extension.getType()->isIntegerTy(64) &&
           isSumWithId(extension.getOperand(0)) && servesAddresses(extension) &&
           !largestMemoryWithoutWrap(extension, layout_);
  }

  /// The sum of extended terms, which does not wrap around, since the 32-bit sum does not.
  static Value* extended(Value* value, llvm::IRBuilder<>& builder) {
    if (isMaskedId(*value)) {
      auto* mask = llvm::cast<llvm::BinaryOperator>(value);
      return builder.CreateAnd(extended(mask->getOperand(0), builder), extended(mask->getOperand(1), builder));
    }
    if (!isSumWithId(value)) return builder.CreateSExt(value, builder.getInt64Ty());
    auto* sum = llvm::cast<llvm::BinaryOperator>(value);
    Value* first = extended(sum->getOperand(0), builder);
    Value* second = extended(sum->getOperand(1), builder);
    auto* made = llvm::BinaryOperator::Create(sum->getOpcode(), first, second);
    made->setHasNoSignedWrap(true);
    return builder.Insert(made);
  }

 private:
  /// Whether the value is a sum with an id, or a product of one with a constant, without signed overflow.
  static bool isSumWithId(const Value* value, unsigned depth = 0) {
    const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (operation == nullptr || depth == kDepthLimit || !llvm::isa<llvm::OverflowingBinaryOperator>(operation) ||
        !operation->hasNoSignedWrap())
      return false;
    const bool isSum = operation->getOpcode() == Instruction::Add || operation->getOpcode() == Instruction::Sub;
    if (!isSum && !llvm::isa<llvm::ConstantInt>(operation->getOperand(1))) return false;
    return llvm::any_of(operation->operands(),
                        [&](const Value* operand) { return isLanesId(operand) || isSumWithId(operand, depth + 1); });
  }

  /// Whether some bits of an id are taken. A mask that is all ones is often known only in one block.
  static bool isMaskedId(const Value& value) {
    const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&value);
    return operation != nullptr && operation->getOpcode() == Instruction::And &&
           llvm::any_of(operation->operands(), isLanesId);
  }

  static bool isLanesId(const Value* value) {
    const auto* id = llvm::dyn_cast<llvm::TruncInst>(value);
    const auto call = id == nullptr ? std::nullopt : matchIntrinsic(id->getOperand(0));
    return call && call->dimension == 0 &&
           (call->intrinsic == Intrinsic::GlobalId || call->intrinsic == Intrinsic::LocalId);
  }

  const llvm::DataLayout& layout_;
};

/// Repeats the extension in each other block that uses it, as programs write it: compilers of SPIR-V share extensions,
/// but behind a test of a term for equality GVN knows the term.
void repeatInBlocks(llvm::SExtInst& extension, llvm::SmallVectorImpl<llvm::SExtInst*>& all) {
  llvm::SmallDenseMap<llvm::BasicBlock*, llvm::SExtInst*> copies;
  for (llvm::Use& use : llvm::make_early_inc_range(extension.uses())) {
    auto* user = llvm::cast<Instruction>(use.getUser());
    if (llvm::isa<llvm::PHINode>(user) || user->getParent() == extension.getParent()) continue;
    llvm::SExtInst*& copy = copies[user->getParent()];
    if (copy == nullptr) {
      copy = llvm::cast<llvm::SExtInst>(extension.clone());
      copy->insertBefore(*user->getParent(), user->getParent()->getFirstInsertionPt());
      all.push_back(copy);
    }
    use.set(copy);
  }
}

bool splitIds(llvm::Function& function) {
  const IdSplitter splitter(function.getDataLayout());
  llvm::SmallVector<llvm::SExtInst*, 8> extensions;
  for (Instruction& instruction : llvm::instructions(function))
    if (auto* extension = llvm::dyn_cast<llvm::SExtInst>(&instruction);
        extension != nullptr && splitter.isWanted(*extension))
      extensions.push_back(extension);
  for (std::size_t i = 0, shared = extensions.size(); i < shared; ++i)
    repeatInBlocks(*extensions[i], extensions);
  for (llvm::SExtInst* extension : extensions) {
    if (!extension->use_empty()) {
      if (!splitter.isWanted(*extension)) continue;
      llvm::IRBuilder<> builder(extension);
      extension->replaceAllUsesWith(IdSplitter::extended(extension->getOperand(0), builder));
    }
    extension->eraseFromParent();
  }
  return !extensions.empty();
}

} // namespace

llvm::PreservedAnalyses ExtendIndicesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  return preservedWithEdges(splitIds(function));
}

} // namespace clotho::compiler
