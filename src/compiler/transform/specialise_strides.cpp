// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/specialise_strides.hpp"

#include "compiler/analysis/kernel_arguments.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/transform/primitives.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kLocalSpace = 3;
constexpr unsigned kStrides[] = {1, 2, 4, 8}; // less than a row
constexpr std::uint64_t kRowMask = 15;        // as long as most sub-groups are wide at most
constexpr unsigned kCopyLimit = 64;           // instructions, each copied so many times

/// `x & (stride - 1)`
struct Masking {
  Instruction* operation = nullptr;
  Value* stride = nullptr;
  Value* lessOne = nullptr;
};

std::optional<Masking> match(Instruction& instruction, const WorkItemUniformity& uniformity) {
  using namespace llvm::PatternMatch;
  const auto isUniform = [&](Value* value) {
    auto* made = llvm::dyn_cast<Instruction>(value);
    return made == nullptr || uniformity.isUniform(*made);
  };
  if (instruction.getOpcode() != Instruction::And || isUniform(&instruction)) return std::nullopt;
  for (unsigned i = 0; i < 2; ++i) {
    Value *lessOne = instruction.getOperand(i), *stride = nullptr;
    const llvm::APInt* less = nullptr;
    // Less one, as far as the bits go that local ids have.
    if (llvm::PatternMatch::match(lessOne, m_Add(m_Value(stride), m_APInt(less))) &&
        less->countr_one() + 1 >= less->getBitWidth() && !llvm::isa<llvm::Constant>(stride) && isUniform(stride))
      return Masking{&instruction, stride, lessOne};
  }
  return std::nullopt;
}

class Copier {
 public:
  Copier(const Masking& masking, const llvm::PostDominatorTree& ends) : masking_(masking), ends_(ends) {}

  bool run() {
    if (!findBlocks()) return false;
    BasicBlock* before = masking_.operation->getParent();
    BasicBlock* original = llvm::SplitBlock(before, masking_.operation->getIterator());
    blocks_.remove(before);
    blocks_.insert(original);
    before->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> builder(before);
    auto* type = llvm::cast<llvm::IntegerType>(masking_.stride->getType());
    BasicBlock* other = BasicBlock::Create(before->getContext(), "stride.large", before->getParent(), original);
    llvm::SwitchInst* choice = builder.CreateSwitch(masking_.stride, other, std::size(kStrides));
    for (const unsigned stride : kStrides) {
      auto* constant = llvm::ConstantInt::get(type, stride);
      auto* lessOne = llvm::ConstantInt::get(type, constant->getValue() + less());
      choice->addCase(constant, copy(*original, constant, lessOne));
    }
    // Of multiples of a row's length, the mask has all bits in which the lanes of a row differ.
    builder.SetInsertPoint(other);
    Value* low = builder.CreateAnd(masking_.stride, kRowMask);
    Value* filled = builder.CreateOr(masking_.lessOne, kRowMask);
    builder.CreateCondBr(builder.CreateIsNull(low), copy(*original, masking_.stride, filled), original);
    return true;
  }

 private:
  /// From the operation on until all paths are together again.
  bool findBlocks() {
    BasicBlock* start = masking_.operation->getParent();
    const auto* node = ends_.getNode(start);
    meeting_ = node != nullptr && node->getIDom() != nullptr ? node->getIDom()->getBlock() : nullptr;
    if (meeting_ == nullptr || meeting_ == start) return false;
    blocks_.insert(start);
    for (unsigned i = 0; i < blocks_.size(); ++i)
      for (BasicBlock* next : llvm::successors(blocks_[i])) {
        if (next == start) return false;
        if (next != meeting_) blocks_.insert(next);
      }
    unsigned instructions = 0;
    bool usesLocalMemory = false;
    for (BasicBlock* block : blocks_) {
      if (block != start)
        for (BasicBlock* from : llvm::predecessors(block))
          if (!blocks_.contains(from)) return false;
      for (Instruction& instruction : *block) {
        if (block == start && (&instruction != masking_.operation && instruction.comesBefore(masking_.operation)))
          continue;
        ++instructions;
        const auto call = matchPrimitive(&instruction);
        if (call && call->primitive == Primitive::Barrier) return false;
        if (const Value* pointer = llvm::getLoadStorePointerOperand(&instruction))
          usesLocalMemory |= pointer->getType()->getPointerAddressSpace() == kLocalSpace;
        for (const llvm::User* user : instruction.users()) {
          const auto* where = llvm::cast<Instruction>(user);
          const bool joins = llvm::isa<llvm::PHINode>(where) && where->getParent() == meeting_;
          if (!blocks_.contains(where->getParent()) && !joins) return false;
        }
      }
    }
    return usesLocalMemory && instructions <= kCopyLimit;
  }

  const llvm::APInt& less() const {
    return llvm::cast<llvm::ConstantInt>(llvm::cast<Instruction>(masking_.lessOne)->getOperand(1))->getValue();
  }

  BasicBlock* copy(BasicBlock& start, Value* stride, Value* lessOne) {
    llvm::ValueToValueMapTy map;
    map[masking_.stride] = stride;
    map[masking_.lessOne] = lessOne;
    llvm::SmallVector<BasicBlock*, 8> made;
    for (BasicBlock* block : blocks_) {
      made.push_back(llvm::CloneBasicBlock(block, map, ".stride", block->getParent()));
      map[block] = made.back();
    }
    llvm::remapInstructionsInBlocks(made, map);
    // Constants and masks stand on the right.
    for (BasicBlock* block : made)
      for (Instruction& instruction : *block)
        if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
            operation != nullptr && operation->isCommutative() &&
            (operation->getOperand(0) == lessOne || llvm::isa<llvm::Constant>(operation->getOperand(0))))
          operation->swapOperands();
    for (llvm::PHINode& phi : meeting_->phis())
      for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i)
        if (blocks_.contains(phi.getIncomingBlock(i))) {
          Value* value = phi.getIncomingValue(i);
          const auto found = map.find(value);
          phi.addIncoming(found != map.end() ? static_cast<Value*>(found->second) : value,
                          llvm::cast<BasicBlock>(map[phi.getIncomingBlock(i)]));
        }
    return llvm::cast<BasicBlock>(map[&start]);
  }

  const Masking& masking_;
  const llvm::PostDominatorTree& ends_;
  BasicBlock* meeting_ = nullptr;
  llvm::SmallSetVector<BasicBlock*, 8> blocks_;
};

} // namespace

llvm::PreservedAnalyses SpecialiseStridesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!isKernel(function) || function.isDeclaration()) return llvm::PreservedAnalyses::all();
  llvm::SmallVector<Instruction*, 4> operations;
  for (Instruction& instruction : llvm::instructions(function))
    if (instruction.getOpcode() == Instruction::And && !llvm::isa<llvm::Constant>(instruction.getOperand(1)))
      operations.push_back(&instruction);
  if (operations.empty()) return llvm::PreservedAnalyses::all();
  for (Instruction* operation : operations) {
    const WorkItemUniformity uniformity(function);
    const auto masking = match(*operation, uniformity);
    // One is enough: copies of copies would be many.
    if (masking && Copier(*masking, analyses.getResult<llvm::PostDominatorTreeAnalysis>(function)).run())
      return llvm::PreservedAnalyses::none();
  }
  return llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
