// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sub-group functions: the sub-group is the vector, and the active lanes take part.
#include "compiler/ir/intrinsics.hpp"
#include "compiler/transform/widen/widener.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace clotho::compiler {

using llvm::Value;

namespace {

llvm::Type* elementOf(Value* vector) { return vector->getType()->getScalarType(); }

/// Floating-point sums may be reassociated (the extension does not define an order).
void allowReassociation(Value* value) {
  if (auto* operation = llvm::dyn_cast<llvm::Instruction>(value); operation && llvm::isa<llvm::FPMathOperator>(value))
    operation->setHasAllowReassoc(true);
}

} // namespace

/// Inactive lanes, and lanes beyond the row, get the identity of the operation.
Value* Widener::participants(Value* lanes, Combination combination) {
  if (mask_ == nullptr) return lanes;
  return builder_.CreateSelect(mask_, lanes, splat(neutralElement(combination, elementOf(lanes))));
}

Value* Widener::bitsOf(Value* truths) { return builder_.CreateBitCast(truths, builder_.getIntNTy(plan_.width)); }

Value* Widener::reduceLanes(Value* lanes, Combination combination) {
  if (elementOf(lanes)->isIntegerTy(1)) {
    Value* bits = bitsOf(lanes);
    if (combination == Combination::And)
      return builder_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
    if (combination == Combination::Or) return builder_.CreateIsNotNull(bits);
    return builder_.CreateTrunc(builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits), builder_.getInt1Ty());
  }
  const auto real = [&](Value* reduced) {
    allowReassociation(reduced);
    return reduced;
  };
  Value* neutral = neutralElement(combination, elementOf(lanes));
  switch (combination) {
  case Combination::Add: return builder_.CreateAddReduce(lanes);
  case Combination::Mul: return builder_.CreateMulReduce(lanes);
  case Combination::And: return builder_.CreateAndReduce(lanes);
  case Combination::Or: return builder_.CreateOrReduce(lanes);
  case Combination::Xor: return builder_.CreateXorReduce(lanes);
  case Combination::SMin: return builder_.CreateIntMinReduce(lanes, /*IsSigned=*/true);
  case Combination::SMax: return builder_.CreateIntMaxReduce(lanes, /*IsSigned=*/true);
  case Combination::UMin: return builder_.CreateIntMinReduce(lanes, /*IsSigned=*/false);
  case Combination::UMax: return builder_.CreateIntMaxReduce(lanes, /*IsSigned=*/false);
  // The identity is -0.0: the sum of negative zeros must be -0.0.
  case Combination::FAdd:
    return real(builder_.CreateFAddReduce(llvm::ConstantFP::getNegativeZero(elementOf(lanes)), lanes));
  case Combination::FMul: return real(builder_.CreateFMulReduce(neutral, lanes));
  case Combination::FMin: return builder_.CreateFPMinReduce(lanes);
  case Combination::FMax: return builder_.CreateFPMaxReduce(lanes);
  case Combination::None: break;
  }
  llvm_unreachable("nothing to reduce by");
}

/// Converts booleans to integers, which shuffle better.
Value* Widener::asNumbers(Value* lanes) {
  return elementOf(lanes)->isIntegerTy(1) ? builder_.CreateZExt(lanes, wide(builder_.getInt32Ty())) : lanes;
}
Value* Widener::likeBefore(Value* lanes, llvm::Type* before) {
  return lanes->getType() == before ? lanes : builder_.CreateTrunc(lanes, before);
}

/// Reduces clusters of neighbouring lanes by butterfly shuffles with strides 1, 2, 4 and so on; each lane gets the
/// result.
Value* Widener::reduceCluster(Value* lanes, Combination combination, unsigned cluster) {
  Value* numbers = asNumbers(lanes);
  for (unsigned distance = 1; distance < std::min(cluster, plan_.width); distance *= 2)
    numbers = combine(builder_, combination, numbers, butterfly(numbers, distance));
  return likeBefore(numbers, lanes->getType());
}

/// Parallel prefix scan with distances 1, 2, 4 and so on.
Value* Widener::scanLanes(Value* lanes, Combination combination, bool isExclusive) {
  const int width = static_cast<int>(plan_.width);
  Value* numbers = asNumbers(lanes);
  llvm::Constant* neutral = neutralElement(combination, elementOf(lanes));
  if (numbers != lanes) neutral = llvm::ConstantInt::get(builder_.getInt32Ty(), neutral->isOneValue() ? 1 : 0);
  Value* none = splat(neutral);
  const auto movedUp = [&](int distance) {
    llvm::SmallVector<int, 64> from;
    for (int lane = 0; lane < width; ++lane)
      from.push_back(lane < distance ? width + lane : lane - distance);
    return builder_.CreateShuffleVector(numbers, none, from);
  };
  for (int distance = 1; distance < width; distance *= 2)
    numbers = combine(builder_, combination, movedUp(distance), numbers);
  if (isExclusive) numbers = movedUp(1);
  return likeBefore(numbers, lanes->getType());
}

namespace {

/// Permutes elements by variable indices, unrolled.
Value* permuteElements(llvm::IRBuilder<>& builder, Value* from, Value* numbers) {
  const unsigned count = llvm::cast<llvm::FixedVectorType>(numbers->getType())->getNumElements();
  Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(from->getType()->getScalarType(), count));
  for (unsigned i = 0; i < count; ++i)
    result = builder.CreateInsertElement(
        result, builder.CreateExtractElement(from, builder.CreateExtractElement(numbers, i)), i);
  return result;
}

/// Permutes by AVX2's vpermps. Vectors of fewer than eight elements are padded.
Value* permuteEight(llvm::IRBuilder<>& builder, Value* from, Value* numbers) {
  const unsigned count = llvm::cast<llvm::FixedVectorType>(numbers->getType())->getNumElements();
  const auto filled = [&](Value* vector) {
    llvm::SmallVector<int, 8> order;
    for (unsigned i = 0; i < 8; ++i)
      order.push_back(static_cast<int>(i % count));
    return count == 8 ? vector : builder.CreateShuffleVector(vector, order);
  };
  const bool isReal = elementOf(from)->isFloatTy();
  Value* result = builder.CreateIntrinsic(isReal ? llvm::Intrinsic::x86_avx2_permps : llvm::Intrinsic::x86_avx2_permd,
                                          {}, {filled(from), filled(numbers)});
  return count == 8 ? result : builder.CreateShuffleVector(result, llvm::createSequentialMask(0, count, 0));
}

/// Permutes the elements of one register by variable indices, with the processor's instruction if it has one. The
/// indices are as wide as the elements, 32 or 64 bits.
Value* permuteRegister(llvm::IRBuilder<>& builder, Value* from, Value* numbers, unsigned vectorBits) {
  using llvm::Intrinsic::ID;
  const unsigned count = llvm::cast<llvm::FixedVectorType>(numbers->getType())->getNumElements();
  const unsigned bits = elementOf(from)->getScalarSizeInBits();
  const bool isReal = elementOf(from)->isFloatingPointTy();
  if (vectorBits == 512 && count * bits == 512) {
    const ID ofInts =
        bits == 32 ? llvm::Intrinsic::x86_avx512_permvar_si_512 : llvm::Intrinsic::x86_avx512_permvar_di_512;
    const ID ofReals =
        bits == 32 ? llvm::Intrinsic::x86_avx512_permvar_sf_512 : llvm::Intrinsic::x86_avx512_permvar_df_512;
    return builder.CreateIntrinsic(isReal ? ofReals : ofInts, {}, {from, numbers});
  }
  if (vectorBits >= 256 && bits == 32 && count <= 8) return permuteEight(builder, from, numbers);
  if (vectorBits >= 256 && bits == 64 && count <= 4) {
    // Permutes each 64-bit element as two 32-bit halves.
    llvm::Type* halves = llvm::FixedVectorType::get(builder.getInt32Ty(), 2 * count);
    Value* low = builder.CreateShl(numbers, 1);
    Value* high = builder.CreateShl(builder.CreateOr(low, llvm::ConstantInt::get(low->getType(), 1)), 32);
    Value* pairs = builder.CreateBitCast(builder.CreateOr(low, high), halves);
    return builder.CreateBitCast(permuteEight(builder, builder.CreateBitCast(from, halves), pairs), from->getType());
  }
  return permuteElements(builder, from, numbers);
}

} // namespace

/// Gives each lane the value of the lane that it names. Indices are often constant: shuffles with `lane ^ 1`,
/// broadcasts of lane 0.
Value* Widener::permute(Value* lanes, Value* numbers) {
  const unsigned width = plan_.width;
  if (auto* known = llvm::dyn_cast<llvm::Constant>(numbers)) {
    llvm::SmallVector<int, 64> from;
    for (unsigned lane = 0; lane < width; ++lane) {
      const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(known->getAggregateElement(lane));
      from.push_back(number == nullptr ? 0 : static_cast<int>(number->getZExtValue() & (width - 1)));
    }
    return builder_.CreateShuffleVector(lanes, from);
  }
  llvm::Type *element = elementOf(lanes), *whole = lanes->getType();
  if (element->isPointerTy()) {
    Value* addresses = builder_.CreatePtrToInt(lanes, wide(builder_.getInt64Ty()));
    return builder_.CreateIntToPtr(permute(addresses, numbers), whole);
  }
  const unsigned bits = element->getScalarSizeInBits();
  if (bits < 32) { // of which processors have no permutation, or none before AVX-512's last
    Value* narrow = builder_.CreateBitCast(lanes, wide(builder_.getIntNTy(bits)));
    Value* moved = permute(builder_.CreateZExt(narrow, wide(builder_.getInt32Ty())), numbers);
    return builder_.CreateBitCast(builder_.CreateTrunc(moved, narrow->getType()), whole);
  }
  const unsigned each = std::min(width, std::max(plan_.cpu.vectorBits / bits, 2U));
  Value* within = numbers;
  if (bits > 32) within = builder_.CreateZExt(numbers, wide(builder_.getInt64Ty()));
  llvm::SmallVector<Value*, 8> results;
  for (unsigned first = 0; first < width; first += each) {
    Value* here = slice(within, first, each);
    Value *register_ = nullptr, *result = nullptr;
    if (each != width) {
      const auto low = llvm::ConstantInt::get(here->getType(), each - 1);
      register_ = builder_.CreateLShr(builder_.CreateAnd(here, width - 1), llvm::Log2_32(each));
      here = builder_.CreateAnd(here, low);
    }
    for (unsigned from = 0; from < width; from += each) {
      Value* found = permuteRegister(builder_, slice(lanes, from, each), here,
                                     plan_.cpu.hasPermutation ? plan_.cpu.vectorBits : 0);
      result = result == nullptr
                   ? found
                   : builder_.CreateSelect(
                         builder_.CreateICmpEQ(register_, llvm::ConstantInt::get(register_->getType(), from / each)),
                         found, result);
    }
    results.push_back(result);
  }
  // Lanes that name a nonexistent lane get an arbitrary value.
  return builder_.CreateFreeze(llvm::concatenateVectors(builder_, results));
}

/// Number of the first active lane, i32.
Value* Widener::firstLive() {
  if (mask_ == nullptr) return builder_.getInt32(0);
  Value* bits = builder_.CreateZExt(bitsOf(mask_), builder_.getIntNTy(std::max(plan_.width, 32U)));
  return builder_.CreateZExtOrTrunc(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder_.getTrue()),
                                    builder_.getInt32Ty());
}

/// Broadcasts the value of a lane whose number is uniform.
Value* Widener::valueOfLane(Value* value, Value* lane) {
  if (plan_.shapes.of(value).isUniform()) return uniform(value);
  llvm::SmallVector<Value*, 4> found;
  Value* first = builder_.getInt32(0);
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(lane)) {
    first = builder_.getInt32(known->getZExtValue() & (plan_.width - 1));
    found = vectors(value);
  } else {
    Value* all = splat(lane);
    for (Value* part : vectors(value))
      found.push_back(permute(part, all));
  }
  return packLane(found, value->getType(), first);
}

/// The result for inactive lanes is arbitrary.
void Widener::defineLiveRank(llvm::CallInst& call) {
  if (plan_.shapes.of(&call).isAffine())
    return define(&call, {LaneShape::affine(1), llvm::ConstantInt::get(call.getType(), 0), {}});
  Value* ones = builder_.CreateZExt(liveMask(), wide(call.getType()));
  defineParts(&call, {scanLanes(ones, Combination::Add, /*isExclusive=*/true)});
}

void Widener::widenSubGroupCall(llvm::CallInst& call, const SubGroupCall& what) {
  Value* operand = call.getArgOperand(0);
  const auto note = [&](const char* how) {
    if (report_ == nullptr) return;
    const unsigned line = call.getDebugLoc() ? call.getDebugLoc().getLine() : 0;
    report_->subGroupCalls.push_back({line, describe(what), how, mask_ != nullptr});
  };
  switch (what.operation) {
  case SubGroupOperation::Barrier:
    note("order of memory, no instruction");
    createFence(builder_, call);
    return;
  case SubGroupOperation::Leaves: return defineUniform(&call, builder_.getTrue());
  case SubGroupOperation::Agree:
    return defineUniform(&call, reduceLanes(participants(vector(operand), Combination::And), Combination::And));
  case SubGroupOperation::Ballot: {
    note("the lanes' mask");
    Value* truths = vector(operand);
    Value* live = mask_ == nullptr ? truths : both(mask_, truths);
    return defineUniform(&call, builder_.CreateZExt(bitsOf(live), builder_.getInt64Ty()));
  }
  case SubGroupOperation::LiveCount: {
    if (mask_ == nullptr) return defineUniform(&call, builder_.getInt32(plan_.width));
    Value* count = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bitsOf(mask_));
    return defineUniform(&call, builder_.CreateZExtOrTrunc(count, builder_.getInt32Ty()));
  }
  case SubGroupOperation::LiveRank: return defineLiveRank(call);
  case SubGroupOperation::First:
    note(mask_ == nullptr ? "lane 0" : "lane chosen by the mask");
    return defineUniform(&call, valueOfLane(operand, firstLive()));
  case SubGroupOperation::Broadcast: {
    Value* number = call.getArgOperand(1);
    Value* lane = plan_.shapes.of(number).isUniform() ? uniform(number)
                                                      : builder_.CreateExtractElement(vector(number), firstLive());
    note(llvm::isa<llvm::Constant>(lane) ? "shuffle in known order" : "permutation");
    return defineUniform(&call, valueOfLane(operand, lane));
  }
  case SubGroupOperation::Shuffle: {
    Value* numbers = vector(call.getArgOperand(1));
    note(llvm::isa<llvm::Constant>(numbers) ? "shuffle in known order" : "permutation");
    llvm::SmallVector<Value*, 4> parts;
    for (Value* part : vectors(operand))
      parts.push_back(permute(part, numbers));
    return defineParts(&call, parts);
  }
  case SubGroupOperation::Reduce: {
    const auto* size = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
    if (size == nullptr)
      call.getContext().emitError(&call, "the cluster size of a sub-group function must be a constant");
    const unsigned cluster = size != nullptr ? size->getZExtValue() : 1;
    Value* lanes = participants(vector(operand), what.combination);
    note(cluster == 0 ? "reduction of the vector" : "shuffles, a step for each doubling");
    if (cluster == 0) return defineUniform(&call, reduceLanes(lanes, what.combination));
    return defineParts(&call, {reduceCluster(lanes, what.combination, cluster)});
  }
  case SubGroupOperation::InclusiveScan:
  case SubGroupOperation::ExclusiveScan: {
    note("shuffles, a step for each doubling");
    const bool isExclusive = what.operation == SubGroupOperation::ExclusiveScan;
    Value* lanes = participants(vector(operand), what.combination);
    return defineParts(&call, {scanLanes(lanes, what.combination, isExclusive)});
  }
  }
}

} // namespace clotho::compiler
