// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/integer_coordinates.hpp"

#include "compiler/analysis/small_ranges.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cmath>
#include <optional>

namespace clotho::compiler {
namespace {

using llvm::Value;
using namespace llvm::PatternMatch;

// A float has 24 bits. For integers up to kReach, sums with constants of at most kLargestConstant in total that are
// multiples of a quarter are exact. Rounding is monotonic, so sums of larger integers are beyond these. Bounds are so
// much smaller that they do not distinguish such sums.
constexpr std::int64_t kReach = 1 << 21;
constexpr double kLargestConstant = 512;
constexpr double kFraction = 0.25;
constexpr std::int64_t kFarthestBound = kReach - 2048;
constexpr unsigned kMostSteps = 12; ///< Most operations from the conversion to an integer back to that of one

/// An element of a vector of floats, or a scalar float.
struct Element {
  Value* value;
  unsigned index = 0; ///< index of the element; 0 for scalars

  bool isOfVector() const { return value->getType()->isVectorTy(); }
};

/// Looks through insertions, extractions and shuffles.
Element source(Element element) {
  for (;;) {
    Value *inner = nullptr, *scalar = nullptr;
    std::uint64_t index = 0;
    if (!element.isOfVector() && match(element.value, m_ExtractElt(m_Value(inner), m_ConstantInt(index))))
      element = {inner, static_cast<unsigned>(index)};
    else if (element.isOfVector() &&
             match(element.value, m_InsertElt(m_Value(inner), m_Value(scalar), m_ConstantInt(index))))
      element = index == element.index ? Element{scalar} : Element{inner, element.index};
    else
      return element;
  }
}

/// Operand of an elementwise instruction, reduced to the same element.
Element operand(const Element& element, unsigned number) {
  Value* value = llvm::cast<llvm::Instruction>(element.value)->getOperand(number);
  return source({value, value->getType()->isVectorTy() ? element.index : 0});
}

std::optional<double> constant(const Element& element) {
  const auto* value = llvm::dyn_cast<llvm::Constant>(element.value);
  if (value != nullptr && element.isOfVector()) value = value->getAggregateElement(element.index);
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(value);
  if (number == nullptr || !number->getType()->isFloatTy() || !number->getValueAPF().isFinite()) return std::nullopt;
  return number->getValueAPF().convertToDouble();
}

/// An integer converted to float, plus a constant.
struct Sum {
  Element integer;
  bool isSigned = true;
  double constant = 0;
};

std::optional<Sum> sumOf(Element element, double sofar = 0, unsigned steps = 0) {
  if (steps > kMostSteps) return std::nullopt;
  if (llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst>(element.value)) {
    const Element from = operand(element, 0);
    const unsigned bits = from.value->getType()->getScalarSizeInBits();
    if (bits > 64) return std::nullopt;
    return Sum{from, llvm::isa<llvm::SIToFPInst>(element.value), sofar};
  }
  const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(element.value);
  if (sum == nullptr) return std::nullopt;
  const bool isDifference = sum->getOpcode() == llvm::Instruction::FSub;
  if (!isDifference && sum->getOpcode() != llvm::Instruction::FAdd) return std::nullopt;
  auto further = constant(operand(element, 1));
  unsigned other = 0;
  if (!further && !isDifference) {
    further = constant(operand(element, 0));
    other = 1;
  }
  if (!further || std::fmod(*further, kFraction) != 0) return std::nullopt;
  sofar += isDifference ? -*further : *further;
  if (std::abs(*further) > kLargestConstant || std::abs(sofar) > kLargestConstant) return std::nullopt;
  return sumOf(operand(element, other), sofar, steps + 1);
}

/// Bound of a clamp: an integer plus a constant, or a constant alone of magnitude at most kFarthestBound.
struct Bound {
  Element integer{nullptr}; ///< null: none
  std::int64_t constant = 0;
};

struct Clamp {
  bool isMaximum;
  Bound bound;
};

/// A select such as `x < y ? x : y`, regardless of how it treats NaN.
struct Selection {
  Element value, bound;
  bool isMaximum;
};

class Coordinates {
 public:
  explicit Coordinates(SmallRanges& ranges) : ranges_(ranges) {}

  /// Emits the conversion's result in integer arithmetic; null if it does not convert a coordinate.
  Value* rewrite(llvm::FPToSIInst& conversion);

 private:
  std::optional<Bound> boundOf(const Element& element);
  std::optional<Selection> selectionOf(const Element& element);
  static Value* clamped(llvm::IRBuilder<>& builder, Value* integer, bool isSigned);
  static Value* valueOf(llvm::IRBuilder<>& builder, const Element& element);

  SmallRanges& ranges_;
};

std::optional<Bound> Coordinates::boundOf(const Element& element) {
  if (const auto number = constant(element)) {
    if (std::abs(*number) > kFarthestBound || *number != std::floor(*number)) return std::nullopt;
    return Bound{{nullptr}, static_cast<std::int64_t>(*number)};
  }
  const auto sum = sumOf(element);
  if (!sum || sum->integer.isOfVector() || sum->constant != std::floor(sum->constant)) return std::nullopt;
  Value* integer = sum->integer.value;
  if (!integer->getType()->isIntegerTy(32)) return std::nullopt;
  const llvm::ConstantRange range = ranges_.of(integer);
  // Integers up to this limit are the same as signed and unsigned numbers.
  if (range.getUnsignedMax().ugt(kFarthestBound - static_cast<std::int64_t>(kLargestConstant))) return std::nullopt;
  return Bound{sum->integer, static_cast<std::int64_t>(sum->constant)};
}

std::optional<Selection> Coordinates::selectionOf(const Element& element) {
  if (element.isOfVector()) return std::nullopt;
  Value *left = nullptr, *right = nullptr;
  bool isMaximum = false;
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(element.value)) {
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::maximum: isMaximum = true; break;
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::minimum: break;
    default: return std::nullopt;
    }
    left = call->getArgOperand(0);
    right = call->getArgOperand(1);
  } else {
    llvm::CmpPredicate predicate;
    Value *first = nullptr, *second = nullptr;
    if (!match(element.value,
               m_Select(m_FCmp(predicate, m_Value(first), m_Value(second)), m_Value(left), m_Value(right))))
      return std::nullopt;
    llvm::CmpInst::Predicate holds = predicate;
    if (first == right && second == left)
      holds = llvm::CmpInst::getSwappedPredicate(holds);
    else if (first != left || second != right)
      return std::nullopt;
    switch (holds) {
    case llvm::CmpInst::FCMP_OGT:
    case llvm::CmpInst::FCMP_OGE:
    case llvm::CmpInst::FCMP_UGT:
    case llvm::CmpInst::FCMP_UGE: isMaximum = true; break;
    case llvm::CmpInst::FCMP_OLT:
    case llvm::CmpInst::FCMP_OLE:
    case llvm::CmpInst::FCMP_ULT:
    case llvm::CmpInst::FCMP_ULE: break;
    default: return std::nullopt;
    }
  }
  const Element a = source({left}), b = source({right});
  return boundOf(b) ? Selection{a, b, isMaximum} : Selection{b, a, isMaximum};
}

Value* Coordinates::valueOf(llvm::IRBuilder<>& builder, const Element& element) {
  return element.isOfVector() ? builder.CreateExtractElement(element.value, builder.getInt64(element.index))
                              : element.value;
}

/// The integer as an i32 with magnitude clamped to kReach.
Value* Coordinates::clamped(llvm::IRBuilder<>& builder, Value* integer, bool isSigned) {
  llvm::Type* type = integer->getType();
  llvm::Type* i32 = builder.getInt32Ty();
  if (type->getIntegerBitWidth() < (isSigned ? 23U : 22U)) return builder.CreateIntCast(integer, i32, isSigned);
  Value* reach = llvm::ConstantInt::get(type, kReach);
  if (!isSigned) {
    integer = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, integer, reach);
  } else {
    integer = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, integer, reach);
    integer =
        builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, integer, llvm::ConstantInt::getSigned(type, -kReach));
  }
  return builder.CreateIntCast(integer, i32, isSigned);
}

Value* Coordinates::rewrite(llvm::FPToSIInst& conversion) {
  if (!conversion.getType()->isIntegerTy(32) || !conversion.getOperand(0)->getType()->isFloatTy()) return nullptr;
  Element element = source({conversion.getOperand(0)});
  llvm::SmallVector<Clamp, 4> clamps; // the last first
  bool hasLower = false, hasUpper = false;
  while (const auto selection = selectionOf(element)) {
    const auto bound = boundOf(selection->bound);
    if (!bound || clamps.size() == kMostSteps) return nullptr;
    clamps.push_back({selection->isMaximum, *bound});
    (selection->isMaximum ? hasLower : hasUpper) = true;
    element = selection->value;
  }
  const auto* rounding = llvm::dyn_cast<llvm::IntrinsicInst>(element.value);
  const bool isFloor = rounding != nullptr && rounding->getIntrinsicID() == llvm::Intrinsic::floor;
  const auto sum = sumOf(isFloor ? operand(element, 0) : element);
  if (!sum || (!isFloor && sum->constant != std::floor(sum->constant))) return nullptr;
  const bool isSmall = sum->integer.value->getType()->getScalarSizeInBits() < 22;
  if (!isSmall && (!hasUpper || (sum->isSigned && !hasLower))) return nullptr;

  llvm::IRBuilder<> builder(&conversion);
  const auto whole = static_cast<std::int64_t>(std::floor(sum->constant));
  Value* result = valueOf(builder, sum->integer);
  if (whole != 0 || !sum->isSigned || !result->getType()->isIntegerTy(32))
    result = builder.CreateNSWAdd(clamped(builder, result, sum->isSigned),
                                  builder.getInt32(static_cast<std::uint32_t>(whole)));
  for (const Clamp& clamp : llvm::reverse(clamps)) {
    Value* bound = builder.getInt32(static_cast<std::uint32_t>(clamp.bound.constant));
    if (clamp.bound.integer.value != nullptr)
      bound = clamp.bound.constant == 0 ? clamp.bound.integer.value
                                        : builder.CreateNSWAdd(clamp.bound.integer.value, bound);
    result =
        builder.CreateBinaryIntrinsic(clamp.isMaximum ? llvm::Intrinsic::smax : llvm::Intrinsic::smin, result, bound);
  }
  return result;
}

// --- Clamps that later operations make redundant ---

/// Splits value + constant.
std::pair<Value*, std::int64_t> withoutConstant(Value* value) {
  Value* inner = nullptr;
  const llvm::APInt* constant = nullptr;
  if (match(value, m_NSWAdd(m_Value(inner), m_APInt(constant)))) return {inner, constant->getSExtValue()};
  return {value, 0};
}

/// Matches min(max(value, lower), size + above) with lower <= -1 and above >= 0, if the size is not negative.
struct AroundSize {
  Value* value;
  std::int64_t lower;
  Value* size;
  std::int64_t above;
};

std::optional<AroundSize> aroundSize(Value* clamped, SmallRanges& ranges) {
  Value *value = nullptr, *upper = nullptr;
  const llvm::APInt* lower = nullptr;
  if (!match(clamped, m_SMin(m_SMax(m_Value(value), m_APInt(lower)), m_Value(upper)))) return std::nullopt;
  const auto [size, above] = withoutConstant(upper);
  if (lower->sgt(-1) || above < 0 || above > kReach) return std::nullopt;
  // The bound is not negative, but the value to which the program has added a constant may be.
  if (!ranges.of(size).isAllNonNegative()) return std::nullopt;
  return AroundSize{value, lower->getSExtValue(), size, above};
}

/// Replaces the clamped value by the value itself in users that only compare it with the size or clamp it further:
/// their results are the same.
void lookBehind(Value* clamped, const AroundSize& clamp) {
  for (llvm::Use& use : llvm::make_early_inc_range(clamped->uses())) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    // An index outside the range stays outside on the same side.
    if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(user); compare != nullptr) {
      const auto predicate = compare->getPredicate();
      if ((predicate != llvm::CmpInst::ICMP_UGE && predicate != llvm::CmpInst::ICMP_ULT) || use.getOperandNo() != 0 ||
          compare->getOperand(1) != clamp.size)
        continue;
      use.set(clamp.value);
      continue;
    }
    // A clamp to [a, size + d], within the range of this clamp.
    const llvm::APInt* lower = nullptr;
    if (!match(user, m_SMax(m_Specific(clamped), m_APInt(lower))) || lower->slt(clamp.lower)) continue;
    const auto isWithin = [&](llvm::User* outer) {
      Value* upper = nullptr;
      if (!match(outer, m_c_SMin(m_Specific(user), m_Value(upper)))) return false;
      const auto [size, above] = withoutConstant(upper);
      return size == clamp.size && above <= clamp.above;
    };
    if (!llvm::all_of(user->users(), isWithin)) continue;
    user->replaceUsesOfWith(clamped, clamp.value);
  }
}

} // namespace

llvm::PreservedAnalyses IntegerCoordinatesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  SmallRanges& ranges = analyses.getResult<SmallRangesAnalysis>(function);
  Coordinates coordinates(ranges);
  llvm::SmallVector<llvm::WeakTrackingVH, 16> dead;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* conversion = llvm::dyn_cast<llvm::FPToSIInst>(&instruction);
    Value* integer = conversion == nullptr ? nullptr : coordinates.rewrite(*conversion);
    if (integer == nullptr) continue;
    integer->takeName(conversion);
    conversion->replaceAllUsesWith(integer);
    dead.emplace_back(conversion);
    if (const auto clamp = aroundSize(integer, ranges)) {
      lookBehind(integer, *clamp);
      dead.emplace_back(integer);
    }
  }
  if (dead.empty()) return llvm::PreservedAnalyses::all();
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace clotho::compiler
