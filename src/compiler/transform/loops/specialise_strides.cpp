// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/loops/specialise_strides.hpp"

#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/region_copies.hpp"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

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
  Copier(const Masking& masking, const llvm::PostDominatorTree& ends)
      : masking_(masking), region_(*masking.operation, ends) {}

  bool run() {
    if (!region_.find(kCopyLimit) || !usesLocalMemory()) return false;
    BasicBlock* before = region_.split();
    llvm::IRBuilder<> builder(before);
    auto* type = llvm::cast<llvm::IntegerType>(masking_.stride->getType());
    BasicBlock* other =
        BasicBlock::Create(before->getContext(), "stride.large", before->getParent(), region_.original());
    llvm::SwitchInst* choice = builder.CreateSwitch(masking_.stride, other, std::size(kStrides));
    for (const unsigned stride : kStrides) {
      auto* constant = llvm::ConstantInt::get(type, stride);
      auto* lessOne = llvm::ConstantInt::get(type, constant->getValue() + less());
      choice->addCase(constant, copy(constant, lessOne));
    }
    // If the stride is a multiple of a row's length, the mask has all bits in which the lanes of a row differ.
    builder.SetInsertPoint(other);
    Value* low = builder.CreateAnd(masking_.stride, kRowMask);
    Value* filled = builder.CreateOr(masking_.lessOne, kRowMask);
    builder.CreateCondBr(builder.CreateIsNull(low), copy(masking_.stride, filled), region_.original());
    return true;
  }

 private:
  bool usesLocalMemory() const {
    return llvm::any_of(region_.instructions(), [](const Instruction* instruction) {
      const Value* pointer = llvm::getLoadStorePointerOperand(instruction);
      return pointer != nullptr && pointer->getType()->getPointerAddressSpace() == kLocalSpace;
    });
  }

  const llvm::APInt& less() const {
    return llvm::cast<llvm::ConstantInt>(llvm::cast<Instruction>(masking_.lessOne)->getOperand(1))->getValue();
  }

  BasicBlock* copy(Value* stride, Value* lessOne) {
    llvm::ValueToValueMapTy map;
    map[masking_.stride] = stride;
    map[masking_.lessOne] = lessOne;
    BasicBlock* start = region_.copy(map);
    // Constants and masks stand on the right.
    for (Instruction* original : region_.instructions())
      if (auto* operation = llvm::dyn_cast_or_null<llvm::BinaryOperator>(map.lookup(original));
          operation != nullptr && operation->isCommutative() &&
          (operation->getOperand(0) == lessOne || llvm::isa<llvm::Constant>(operation->getOperand(0))))
        operation->swapOperands();
    return start;
  }

  const Masking& masking_;
  RegionCopies region_;
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
    const auto masking = match(*operation, analyses.getResult<WorkGroupUniformityAnalysis>(function));
    // One is enough: copies of copies would be many.
    if (masking && Copier(*masking, analyses.getResult<llvm::PostDominatorTreeAnalysis>(function)).run())
      return llvm::PreservedAnalyses::none();
  }
  return llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
