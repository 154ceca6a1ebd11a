// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/integer_sums.hpp"

#include "compiler/analysis/instruction_cost.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/ConstantFold.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Local.h>

#include <optional>

namespace clotho::compiler {
namespace {

constexpr unsigned kBits = 32;            // of the integers that are computed with
constexpr std::int64_t kExact = 1 << 24;  // a float is exact up to here
constexpr unsigned kLeastConversions = 2; // in a sum, for it to be worth the change

/// Finds values of float type that are always integers, and their ranges.
class IntegerSums {
 public:
  IntegerSums(llvm::Function& function, SmallRanges& ranges) : function_(function), ranges_(ranges) {}

  bool run() {
    llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (llvm::BasicBlock* block : order)
      for (llvm::Instruction& instruction : *block)
        if (const auto range = computed(instruction)) ranges_of_.insert({&instruction, *range});
    bool changed = false;
    for (llvm::BasicBlock* block : order)
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block))
        if (isRoot(instruction)) {
          replace(instruction);
          changed = true;
        }
    llvm::SmallVector<llvm::WeakTrackingVH, 16> dead(replaced_.begin(), replaced_.end());
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
    return changed;
  }

 private:
  static bool isConversion(const llvm::Value* value) {
    return llvm::isa<llvm::UIToFPInst>(value) || llvm::isa<llvm::SIToFPInst>(value);
  }

  std::optional<llvm::ConstantRange> converted(const llvm::Instruction& conversion) {
    const llvm::Value* from = conversion.getOperand(0);
    if (from->getType()->getScalarSizeInBits() > kBits) return std::nullopt;
    const llvm::ConstantRange range = ranges_.of(from);
    return exact(llvm::isa<llvm::SIToFPInst>(conversion) ? range.signExtend(2 * kBits) : range.zeroExtend(2 * kBits));
  }

  static std::optional<llvm::ConstantRange> ofConstant(const llvm::Constant& constant) {
    const auto ofElement = [](const llvm::Constant* element) -> std::optional<llvm::ConstantRange> {
      const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(element);
      // Negative zero is not treated as an integer, since products and sums with it keep its sign.
      if (number == nullptr || number->getValueAPF().isNegZero()) return std::nullopt;
      llvm::APSInt integer(kBits, /*isUnsigned=*/false);
      bool isExact = false;
      if (number->getValueAPF().convertToInteger(integer, llvm::APFloat::rmTowardZero, &isExact) !=
              llvm::APFloat::opOK ||
          !isExact)
        return std::nullopt;
      return exact(llvm::ConstantRange(integer.sext(2 * kBits)));
    };
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(constant.getType());
    if (vector == nullptr) return ofElement(&constant);
    llvm::ConstantRange all = llvm::ConstantRange::getEmpty(kBits);
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      const auto one = ofElement(constant.getAggregateElement(i));
      if (!one) return std::nullopt;
      all = all.unionWith(*one);
    }
    return all;
  }

  std::optional<llvm::ConstantRange> of(const llvm::Value* value) {
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return ofConstant(*constant);
    const auto found = ranges_of_.find(value);
    return found == ranges_of_.end() ? std::nullopt : std::optional(found->second);
  }

  std::optional<llvm::ConstantRange> product(const llvm::Value* a, const llvm::Value* b) {
    const auto x = of(a), y = of(b);
    // Zero times a negative number is negative zero.
    if (!x || !y || !x->isAllNonNegative() || !y->isAllNonNegative()) return std::nullopt;
    return exact(x->zeroExtend(2 * kBits).multiply(y->zeroExtend(2 * kBits)));
  }

  /// Truncates the range to `kBits`, if a float represents it exactly.
  static std::optional<llvm::ConstantRange> exact(const llvm::ConstantRange& range) {
    if (range.getSignedMin().slt(-kExact) || range.getSignedMax().sgt(kExact)) return std::nullopt;
    return range.truncate(kBits);
  }

  static std::optional<llvm::ConstantRange> sum(const std::optional<llvm::ConstantRange>& a,
                                                const std::optional<llvm::ConstantRange>& b, bool subtract) {
    if (!a || !b) return std::nullopt;
    const llvm::ConstantRange x = a->signExtend(2 * kBits), y = b->signExtend(2 * kBits);
    return exact(subtract ? x.sub(y) : x.add(y));
  }

  /// Range of the instruction's result, if that is always an integer and never negative zero.
  std::optional<llvm::ConstantRange> computed(const llvm::Instruction& instruction) {
    llvm::Type* element = instruction.getType()->getScalarType();
    if (!element->isFloatTy() && !element->isDoubleTy()) return std::nullopt;
    if (isConversion(&instruction)) return converted(instruction);
    switch (instruction.getOpcode()) {
    case llvm::Instruction::FAdd: return sum(of(instruction.getOperand(0)), of(instruction.getOperand(1)), false);
    case llvm::Instruction::FSub: return sum(of(instruction.getOperand(0)), of(instruction.getOperand(1)), true);
    case llvm::Instruction::FMul: return product(instruction.getOperand(0), instruction.getOperand(1));
    default: break;
    }
    if (addsToProduct(instruction))
      return sum(product(instruction.getOperand(0), instruction.getOperand(1)), of(instruction.getOperand(2)), false);
    return std::nullopt;
  }

  /// Whether the instruction is the root of an expression of several conversions whose other values have no use outside
  /// it.
  bool isRoot(const llvm::Instruction& instruction) {
    if (!ranges_of_.contains(&instruction) || isConversion(&instruction) || instruction.use_empty()) return false;
    if (llvm::all_of(instruction.users(), [&](const llvm::User* user) { return ranges_of_.contains(user); }))
      return false;
    llvm::SmallVector<const llvm::Instruction*, 16> work = {&instruction};
    llvm::SmallPtrSet<const llvm::Instruction*, 16> seen;
    unsigned conversions = 0;
    while (!work.empty()) {
      const llvm::Instruction* next = work.pop_back_val();
      if (!seen.insert(next).second) continue;
      if (isConversion(next)) {
        conversions += llvm::all_of(next->users(), [&](const llvm::User* user) { return ranges_of_.contains(user); });
        continue;
      }
      for (const llvm::Value* operand : next->operands())
        if (const auto* from = llvm::dyn_cast<llvm::Instruction>(operand)) work.push_back(from);
    }
    return conversions >= kLeastConversions;
  }

  /// The value as an integer of `kBits`.
  llvm::Value* asInteger(llvm::Value* value) {
    llvm::Type* wanted = value->getType()->getWithNewType(llvm::Type::getIntNTy(value->getContext(), kBits));
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value))
      return llvm::ConstantFoldCastInstruction(llvm::Instruction::FPToSI, constant, wanted);
    auto* instruction = llvm::cast<llvm::Instruction>(value);
    if (llvm::Value* integer = integers_.lookup(instruction)) return integer;
    llvm::IRBuilder<> builder(instruction);
    llvm::Value* made = nullptr;
    if (isConversion(instruction)) {
      made = builder.CreateIntCast(instruction->getOperand(0), wanted, llvm::isa<llvm::SIToFPInst>(instruction));
    } else {
      llvm::SmallVector<llvm::Value*, 3> operands;
      const unsigned count = llvm::isa<llvm::CallBase>(instruction)
                                 ? llvm::cast<llvm::CallBase>(instruction)->arg_size()
                                 : instruction->getNumOperands();
      for (unsigned i = 0; i < count; ++i)
        operands.push_back(asInteger(instruction->getOperand(i)));
      switch (instruction->getOpcode()) {
      case llvm::Instruction::FAdd: made = builder.CreateAdd(operands[0], operands[1], "", false, true); break;
      case llvm::Instruction::FSub: made = builder.CreateSub(operands[0], operands[1], "", false, true); break;
      case llvm::Instruction::FMul: made = builder.CreateMul(operands[0], operands[1], "", false, true); break;
      default: // fma
        made = builder.CreateMul(operands[0], operands[1], "", false, true);
        made = builder.CreateAdd(made, operands[2], "", false, true);
      }
    }
    return integers_[instruction] = made;
  }

  void replace(llvm::Instruction& root) {
    llvm::Value* integer = asInteger(&root);
    llvm::IRBuilder<> builder(&root);
    llvm::Value* number = builder.CreateSIToFP(integer, root.getType(), root.getName());
    root.replaceUsesWithIf(number, [&](const llvm::Use& use) { return !ranges_of_.contains(use.getUser()); });
    replaced_.emplace_back(&root);
  }

  llvm::Function& function_;
  SmallRanges& ranges_;
  llvm::DenseMap<const llvm::Value*, llvm::ConstantRange> ranges_of_; ///< Ranges of the floats that are integers
  llvm::DenseMap<const llvm::Instruction*, llvm::Value*> integers_;
  llvm::SmallVector<llvm::WeakTrackingVH, 16> replaced_;
};

} // namespace

bool sumAsIntegers(llvm::Function& function, SmallRanges& ranges) { return IntegerSums(function, ranges).run(); }

} // namespace clotho::compiler
