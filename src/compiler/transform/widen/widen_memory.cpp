// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores by the shape of their addresses.
#include "base/arithmetic.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/local_memory.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/transform/widen/widen_access.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Value;

namespace {

/// Smallest load of a lane, in bytes, for which the next sub-group's load is prefetched (prefetchRows). Shorter ones,
/// and those at a constant stride, are not.
constexpr unsigned kPrefetched = 64;
/// Smallest load of a sub-group, in bytes, whose cache lines are touched in order (touchRow); shorter ones are not.
constexpr unsigned kLongRow = 512;
constexpr unsigned kCacheLine = 64;

bool isPlainScalar(llvm::Type* type) {
  if (type->isPointerTy() || type->isHalfTy() || type->isBFloatTy() || type->isFloatTy() || type->isDoubleTy())
    return true;
  return type->isIntegerTy() && llvm::is_contained({8U, 16U, 32U, 64U}, type->getIntegerBitWidth());
}

} // namespace

std::optional<Widener::Access> Widener::Access::of(llvm::Instruction& instruction, LaneShape pointer,
                                                   const llvm::DataLayout& layout) {
  llvm::Type* type = llvm::getLoadStoreType(&instruction);
  const auto scalars = scalarsOf(type);
  if (type->isAggregateType() || !isPlainScalar(scalars.front())) return std::nullopt;
  const unsigned size = layout.getTypeStoreSize(scalars.front()).getFixedValue();
  const std::int64_t row = pointer.isAffine() && pointer.stride() % size == 0 ? pointer.stride() / size : 0;
  return Access{instruction,
                scalars.front(),
                static_cast<unsigned>(scalars.size()),
                size,
                llvm::getLoadStoreAlignment(&instruction),
                row};
}

void Widener::note(llvm::Instruction& access, AccessShape shape) {
  if (report_ == nullptr || !access.getDebugLoc()) return;
  report_->accesses.push_back(
      {access.getDebugLoc().getLine(), llvm::isa<llvm::StoreInst>(access), shape, mask_ != nullptr});
}

/// Gathers narrow scalars on x86, which has gathers of 32 and 64 bits only: gathers the aligned 32 bits around each
/// scalar, which are in the same page. For unaligned 16 bits that reach into the next 32, the 32 bits begin two bytes
/// before the scalar, which is then the upper half.
Value* Widener::gather(Value* pointers, llvm::Type* scalar, llvm::Align align) {
  const unsigned bits = layout_.getTypeSizeInBits(scalar);
  const bool isAligned = align.value() * 8 >= bits;
  if (bits >= 32 || (!isAligned && bits != 16))
    return builder_.CreateMaskedGather(wide(scalar), pointers, align, liveMask());
  llvm::Type* i32 = wide(builder_.getInt32Ty());
  llvm::Type* address = wide(builder_.getInt64Ty());
  Value* addresses = builder_.CreatePtrToInt(pointers, address);
  Value* within = builder_.CreateAnd(addresses, llvm::ConstantInt::get(address, 3));
  // Goes back by two bytes instead of three.
  if (!isAligned) within = builder_.CreateSub(within, builder_.CreateAnd(within, builder_.CreateLShr(within, 1)));
  Value* whole =
      builder_.CreateMaskedGather(i32, builder_.CreateGEP(builder_.getInt8Ty(), pointers, builder_.CreateNeg(within)),
                                  llvm::Align(isAligned ? 4 : 1), liveMask());
  Value* shift = builder_.CreateShl(builder_.CreateTrunc(within, i32), llvm::ConstantInt::get(i32, 3));
  Value* low = builder_.CreateTrunc(builder_.CreateLShr(whole, shift), wide(builder_.getIntNTy(bits)));
  return builder_.CreateBitCast(low, wide(scalar));
}

void Widener::scatter(Value* value, Value* pointers, llvm::Align align) {
  builder_.CreateMaskedScatter(value, pointers, align, liveMask());
}

/// Touches the cache lines of long rows in order, if sub-groups read them one after the other. The loads of a row are
/// many, and the shuffles that use them mix their order, so that hardware sees no stream. Loads of a byte are used:
/// software prefetches stop the hardware from running ahead and reach only two thirds of the bandwidth.
void Widener::touchRow(const Access& access, Value* first) {
  const bool goesThroughRows = callsIntrinsic(plan_.kernel, Intrinsic::FirstLane);
  const unsigned bytes = plan_.width * access.bytes();
  const auto depth = plan_.flow.loops().getLoopDepth(access.instruction.getParent());
  // Loop depth of the loop over sub-groups inside that over rows (specialise.cpp).
  constexpr unsigned kDepth = 2;
  if (bytes < kLongRow || !goesThroughRows || depth != kDepth) return;
  // Accesses in memory order need no touching: hardware sees the stream.
  const bool isMixed = access.parts > 1 && (!plan_.packed.contains(&access.instruction) ||
                                            llvm::any_of(access.instruction.users(), [](const llvm::User* user) {
                                              return llvm::isa<llvm::ShuffleVectorInst, llvm::ExtractElementInst>(user);
                                            }));
  if (!isMixed) return;
  for (unsigned offset = 0; offset < bytes; offset += kCacheLine)
    builder_.CreateAlignedLoad(builder_.getInt8Ty(), builder_.CreateConstGEP1_64(builder_.getInt8Ty(), first, offset),
                               llvm::Align(), /*isVolatile=*/true);
}

/// Loads consecutive data of all lanes from lane 0's address on; in memory order.
Value* Widener::loadRow(const Access& access, Value* first, Value* mask) {
  auto* type = llvm::FixedVectorType::get(access.scalar, plan_.width * access.parts);
  if (mask == nullptr) touchRow(access, first);
  if (mask == nullptr || access.parts == 1) return loadFrom(access.instruction, type, first, access.align, mask);
  if (llvm::Type* whole = access.whole())
    return builder_.CreateBitCast(loadFrom(access.instruction, wide(whole), first, access.align, mask), type);
  return loadFrom(access.instruction, type, first, access.align, repeatLanes(mask, access.parts, access.parts));
}

/// Loads lanes with a stride of `access.laneStride` scalars, from lane 0's address on.
llvm::SmallVector<Value*, 4> Widener::loadRows(const Access& access, Value* first, Value* mask) {
  const unsigned width = plan_.width, parts = access.parts;
  if (access.isReversed()) {
    Value* address = builder_.CreateConstGEP1_64(access.scalar, first, -static_cast<std::int64_t>(width - 1));
    if (mask != nullptr) mask = builder_.CreateVectorReverse(mask);
    return {
        builder_.CreateVectorReverse(loadFrom(access.instruction, wide(access.scalar), address, access.align, mask))};
  }
  if (access.isContiguous()) {
    if (auto results = loadTransposed(access, first, mask); !results.empty()) return results;
    Value* all = loadRow(access, first, mask);
    if (parts == 1) return {all};
    return unpack(all, llvm::getLoadStoreType(&access.instruction));
  }
  const unsigned row = static_cast<unsigned>(access.laneStride);
  Value* all = loadFrom(access.instruction, llvm::FixedVectorType::get(access.scalar, width * row), first, access.align,
                        repeatLanes(mask != nullptr ? mask : allLanes(), row, parts));
  llvm::SmallVector<Value*, 4> results;
  for (unsigned part = 0; part < parts; ++part)
    results.push_back(builder_.CreateShuffleVector(all, llvm::createStrideMask(part, row, width)));
  return results;
}

/// Distance from lane 0 to lane 1 of a linear value, in 64 bits: two 32-bit numbers may differ by more than a signed
/// 32-bit number holds. `isSigned`: how narrower values, which do not wrap around, are extended.
Value* Widener::laneStride(Value* value, bool isSigned) {
  const LaneShape shape = plan_.shapes.of(value);
  llvm::Type* type = builder_.getInt64Ty();
  if (shape.isAffine()) return llvm::ConstantInt::getSigned(type, shape.stride());
  auto* instruction = llvm::cast<llvm::Instruction>(value);
  const auto of = [&](unsigned operand) { return laneStride(instruction->getOperand(operand), isSigned); };
  const auto shared = [&](unsigned operand) {
    Value* number = uniform(instruction->getOperand(operand));
    return isSigned ? builder_.CreateSExt(number, type) : builder_.CreateZExt(number, type);
  };
  switch (instruction->getOpcode()) {
  case llvm::Instruction::Add: return builder_.CreateAdd(of(0), of(1));
  case llvm::Instruction::Sub: return builder_.CreateSub(of(0), of(1));
  case llvm::Instruction::Shl: return builder_.CreateShl(of(0), shared(1));
  case llvm::Instruction::Mul: {
    const unsigned factor = plan_.shapes.of(instruction->getOperand(1)).isUniform() ? 1 : 0;
    return builder_.CreateMul(of(1 - factor), shared(factor));
  }
  case llvm::Instruction::SExt: return laneStride(instruction->getOperand(0), /*isSigned=*/true);
  case llvm::Instruction::ZExt:
    return laneStride(instruction->getOperand(0), llvm::cast<llvm::ZExtInst>(instruction)->hasNonNeg());
  default: break;
  }
  auto* address = llvm::cast<llvm::GetElementPtrInst>(instruction);
  Value* sum = laneStride(address->getPointerOperand());
  for (auto index = llvm::gep_type_begin(*address); index != llvm::gep_type_end(*address); ++index) {
    if (plan_.shapes.of(index.getOperand()).isUniform()) continue;
    Value* stride = laneStride(index.getOperand());
    const auto size = index.getSequentialElementStride(layout_).getFixedValue();
    sum = builder_.CreateAdd(sum, builder_.CreateMul(stride, llvm::ConstantInt::get(type, size)));
  }
  return sum;
}

/// A valid address for inactive lanes: a dummy variable, or, if that would be live across barriers in each sub-group,
/// an active lane's.
Value* Widener::somewhere(const Access& access, Value* pointers) {
  const bool hasBarriers = callsIntrinsic(plan_.kernel, Intrinsic::Barrier);
  if (hasBarriers) {
    Value* bits = builder_.CreateBitCast(mask_, builder_.getIntNTy(plan_.width));
    Value* live = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder_.getTrue());
    return builder_.CreateExtractElement(pointers, live);
  }
  Builder entry(entry_, entry_->begin());
  auto* nowhere = entry.CreateAlloca(llvm::ArrayType::get(entry.getInt8Ty(), access.bytes()), nullptr, "nowhere");
  nowhere->setAlignment(access.align);
  return entry.CreateAddrSpaceCast(nowhere, pointers->getType()->getScalarType());
}

/// Widens a prefetch: each cache line between the first lane and the last once, if lanes are less than a line apart;
/// otherwise each lane's address, if lanes have a common stride; none for other addresses.
void Widener::widenPrefetch(const llvm::CallInst& call) {
  constexpr std::int64_t kLine = 64;
  Value* pointer = call.getArgOperand(0);
  const LaneShape shape = plan_.shapes.of(pointer);
  if (!shape.isAffine() && (mask_ != nullptr || !plan_.shapes.isLinear(pointer))) return;
  Value* first = firstLane(pointer, nullptr);
  Value* stride =
      shape.isAffine() ? builder_.getInt64(static_cast<std::uint64_t>(shape.stride())) : laneStride(pointer);
  std::int64_t count = plan_.width;
  if (shape.isAffine() && magnitude(shape.stride()) < kLine) {
    count = std::max<std::int64_t>(magnitude(shape.stride()) * count / kLine, 1);
    stride = builder_.getInt64(static_cast<std::uint64_t>(shape.stride() < 0 ? -kLine : kLine));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    Value* distance =
        builder_.CreateMul(stride, llvm::ConstantInt::get(stride->getType(), static_cast<std::uint64_t>(i)));
    Value* address = i == 0 ? first : builder_.CreatePtrAdd(first, distance);
    builder_.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                             {address, call.getArgOperand(1), call.getArgOperand(2), call.getArgOperand(3)});
  }
}

/// Prefetches for the next sub-group. While all lanes are active, addresses use the strides of the loads: separate
/// addresses would need too many registers.
void Widener::prefetchRows(llvm::ArrayRef<Value*> addresses, Value* stride) {
  const auto distance = [&](unsigned lanes) {
    return builder_.CreateMul(stride, llvm::ConstantInt::get(stride->getType(), lanes));
  };
  Value* ahead = distance(plan_.width);
  Value* next = builder_.CreatePtrAdd(addresses.front(), ahead);
  for (unsigned lane = 0; lane < plan_.width; ++lane) {
    Value* address = next;
    if (lane != 0)
      address = mask_ != nullptr ? builder_.CreatePtrAdd(addresses[lane], ahead)
                                 : builder_.CreatePtrAdd(next, distance(lane));
    builder_.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                             {address, builder_.getInt32(0), builder_.getInt32(2), builder_.getInt32(1)});
  }
}

/// Each lane's address as a scalar; inactive lanes get a harmless one.
llvm::SmallVector<Value*, 16> Widener::laneAddresses(const Access& access, Value* pointer) {
  llvm::SmallVector<Value*, 16> addresses;
  const bool isLinear = plan_.shapes.isLinear(pointer);
  Value* stride = isLinear ? laneStride(pointer) : nullptr;
  if (isLinear && mask_ == nullptr) {
    addresses.push_back(firstLane(pointer, nullptr));
    for (unsigned lane = 1; lane < plan_.width; ++lane)
      addresses.push_back(builder_.CreatePtrAdd(
          addresses.front(), builder_.CreateMul(stride, llvm::ConstantInt::get(stride->getType(), lane))));
  } else {
    Value* pointers = vector(pointer);
    if (mask_ != nullptr) pointers = builder_.CreateSelect(mask_, pointers, splat(somewhere(access, pointers)));
    for (unsigned lane = 0; lane < plan_.width; ++lane)
      addresses.push_back(builder_.CreateExtractElement(pointers, lane));
  }
  // Long rows with a stride between them: hardware does not foresee the next lanes' loads.
  if (isLinear && access.bytes() >= kPrefetched && !llvm::isa<llvm::Constant>(stride)) prefetchRows(addresses, stride);
  return addresses;
}

/// Loads each lane's vector from its own address; in memory order.
Value* Widener::loadLanes(const Access& access, Value* pointer) {
  llvm::Type* type = llvm::getLoadStoreType(&access.instruction);
  if (access.bytes() <= 4)
    return builder_.CreateBitCast(gather(vector(pointer), access.whole(), access.align), packedType(type));
  const auto addresses = laneAddresses(access, pointer);
  if (llvm::Type* whole = access.whole()) {
    Value* all = llvm::PoisonValue::get(wide(whole));
    for (unsigned lane = 0; lane < plan_.width; ++lane)
      all = builder_.CreateInsertElement(all, builder_.CreateAlignedLoad(whole, addresses[lane], access.align), lane);
    return builder_.CreateBitCast(all, packedType(type));
  }
  llvm::SmallVector<Value*, 16> lanes;
  for (Value* address : addresses)
    lanes.push_back(builder_.CreateAlignedLoad(type, address, access.align));
  return llvm::concatenateVectors(builder_, lanes);
}

/// Loads each lane from its own address.
llvm::SmallVector<Value*, 4> Widener::loadGathered(const Access& access, Value* pointer) {
  if (access.parts > 1 && llvm::isPowerOf2_32(access.bytes()))
    return unpack(loadLanes(access, pointer), llvm::getLoadStoreType(&access.instruction));
  Value* pointers = vector(pointer);
  llvm::SmallVector<Value*, 4> results;
  for (unsigned part = 0; part < access.parts; ++part) {
    Value* at = part == 0 ? pointers : builder_.CreateConstGEP1_64(access.scalar, pointers, part);
    results.push_back(gather(at, access.scalar, access.scalarAlign(part)));
  }
  return results;
}

void Widener::storeRow(const Access& access, Value* packed, Value* first, Value* mask) {
  if (mask != nullptr && access.parts != 1) {
    if (llvm::Type* whole = access.whole())
      packed = builder_.CreateBitCast(packed, wide(whole));
    else
      mask = repeatLanes(mask, access.parts, access.parts);
  }
  storeTo(access.instruction, packed, first, access.align, mask);
}

/// Whether scalar stores are faster than masked stores of whole rows if all lanes are active.
bool Widener::storesLanesFaster(const Access& access) const {
  // Rows in local memory are blended (BlendStoresPass).
  constexpr std::int64_t kMostBlended = 4;
  return plan_.cpu.blends(access.size * 8) && (!isLocalAccess(access.instruction) || access.laneStride > kMostBlended);
}

void Widener::storeRows(const Access& access, llvm::ArrayRef<Value*> parts, Value* first, Value* mask) {
  const unsigned width = plan_.width;
  if (access.isReversed()) {
    Value* address = builder_.CreateConstGEP1_64(access.scalar, first, -static_cast<std::int64_t>(width - 1));
    Value* backwards = builder_.CreateVectorReverse(parts.front());
    if (mask == nullptr) // Not marked as non-temporal.
      builder_.CreateAlignedStore(backwards, address, access.align);
    else
      storeTo(access.instruction, backwards, address, access.align, builder_.CreateVectorReverse(mask));
    return;
  }
  if (access.isContiguous())
    return storeRow(access,
                    access.parts == 1 ? parts.front() : pack(parts, llvm::getLoadStoreType(&access.instruction)), first,
                    mask);
  const unsigned row = static_cast<unsigned>(access.laneStride);
  if (mask == nullptr && access.parts == 1 && storesLanesFaster(access)) {
    for (unsigned lane = 0; lane < width; ++lane)
      builder_.CreateAlignedStore(builder_.CreateExtractElement(parts.front(), lane),
                                  builder_.CreateConstGEP1_64(access.scalar, first, lane * row), access.align);
    return;
  }
  llvm::SmallVector<Value*, 8> columns(parts.begin(), parts.end());
  // Fills gaps between bytes with zeros: with poison, LLVM 22's instruction selection does not terminate, since it
  // widens and narrows them again (tests/kernels/barriers/exchanges, sums_of_bytes).
  llvm::Type* column = parts.front()->getType();
  columns.resize(row, access.size == 1 ? llvm::Constant::getNullValue(column) : llvm::PoisonValue::get(column));
  Value* all =
      builder_.CreateShuffleVector(llvm::concatenateVectors(builder_, columns), llvm::createInterleaveMask(width, row));
  storeTo(access.instruction, all, first, access.align,
          repeatLanes(mask != nullptr ? mask : allLanes(), row, access.parts));
}

void Widener::storeScattered(const Access& access, Value* value, Value* pointer) {
  const bool isPacked = lanesOf(value).packed != nullptr;
  if (llvm::Type* whole = access.whole(); whole != nullptr && access.bytes() >= 4) {
    Value* all = isPacked ? builder_.CreateBitCast(builder_.CreateFreeze(packed(value)), wide(whole))
                          : regroup(vectors(value), {whole}).front();
    return scatter(all, vector(pointer), access.align);
  }
  if (isPacked && mask_ == nullptr && access.bytes() >= 16) {
    unsigned begin = 0;
    for (Value* address : laneAddresses(access, pointer)) {
      Value* lane = builder_.CreateShuffleVector(packed(value), llvm::createSequentialMask(begin, access.parts, 0));
      builder_.CreateAlignedStore(lane, address, access.align);
      begin += access.parts;
    }
    return;
  }
  // Addresses are computed from one scalar: for a scatter LLVM computes vectors of addresses, from which it extracts
  // each.
  if (mask_ == nullptr && access.parts == 1 && plan_.cpu.blends(access.size * 8) && plan_.shapes.isLinear(pointer)) {
    for (const auto& [lane, address] : llvm::enumerate(laneAddresses(access, pointer)))
      builder_.CreateAlignedStore(builder_.CreateExtractElement(vectors(value).front(), lane), address, access.align);
    return;
  }
  if (storeTransposed(access, value, pointer)) return;
  Value* pointers = vector(pointer);
  unsigned part = 0;
  for (Value* elements : vectors(value)) {
    Value* at = part == 0 ? pointers : builder_.CreateConstGEP1_64(access.scalar, pointers, part);
    scatter(elements, at, access.scalarAlign(part++));
  }
}

namespace {

/// The only varying operand of an address or index; null if there is none or several, or the result is not a sum or
/// multiple of it.
Value* varyingOperand(Value* value, const LaneShapes& shapes) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return nullptr;
  switch (instruction->getOpcode()) {
  case llvm::Instruction::GetElementPtr:
  case llvm::Instruction::Add:
  case llvm::Instruction::Sub:
  case llvm::Instruction::Mul:
  case llvm::Instruction::Shl:
  case llvm::Instruction::SExt:
  case llvm::Instruction::ZExt:
  case llvm::Instruction::Trunc: break;
  default: return nullptr;
  }
  Value* varying = nullptr;
  for (Value* operand : instruction->operands()) {
    if (shapes.of(operand).isUniform()) continue;
    if (varying != nullptr) return nullptr;
    varying = operand;
  }
  return varying;
}

} // namespace

/// Lane 0's value, computed from lane 0 of `root` (or from `ofRoot`), or, if `root` is null, from affine values.
Value* Widener::firstLane(Value* value, Value* root, Value* ofRoot) {
  if (value == root) return ofRoot != nullptr ? ofRoot : builder_.CreateExtractElement(vector(root), std::uint64_t(0));
  if (root == nullptr ? plan_.shapes.of(value).isAffine() : plan_.shapes.of(value).isUniform()) return uniform(value);
  auto* copy = llvm::cast<llvm::Instruction>(value)->clone();
  for (llvm::Use& operand : copy->operands())
    operand.set(firstLane(operand, root, ofRoot));
  copy->dropPoisonGeneratingFlags();
  return builder_.Insert(copy);
}

/// Emits the check that the active lanes' addresses advance by these steps, and lane 0's address. If the address is a
/// sum, only its varying term is compared, usually 32 bits, and no extension to 64 bits may wrap around between lanes.
std::pair<Value*, Value*> Widener::rowOf(Value* pointer, LaneSteps steps) {
  const auto strideOf = [&](const Value* value) -> std::optional<std::int64_t> {
    if (steps.lanes == 1) return plan_.shapes.usualStride(value);
    const auto found = usualSteps(plan_.shapes, value);
    return found && found->lanes == steps.lanes ? std::optional(found->stride) : std::nullopt;
  };
  Value* root = pointer;
  Value* holds = nullptr;
  llvm::SmallVector<llvm::CastInst*, 2> extensions;
  while (Value* next = varyingOperand(root, plan_.shapes)) {
    if (!strideOf(next)) break;
    if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(root)) extensions.push_back(llvm::cast<llvm::CastInst>(root));
    root = next;
  }
  Value* lanes = vector(root);
  Value* expected = nullptr;
  if (root->getType()->isPointerTy()) {
    expected =
        builder_.CreatePtrAdd(firstLane(root, root), laneNumbers(builder_.getInt64Ty(), steps.stride, steps.lanes));
  } else {
    expected =
        builder_.CreateAdd(splat(firstLane(root, root)), laneNumbers(root->getType(), *strideOf(root), steps.lanes));
  }
  holds = builder_.CreateNot(any(both(mask_, builder_.CreateICmpNE(lanes, expected))));
  for (llvm::CastInst* extension : extensions) {
    Value* narrow = extension->getOperand(0);
    const std::int64_t span = *strideOf(narrow) * static_cast<std::int64_t>((plan_.width - 1) / steps.lanes);
    const unsigned bits = narrow->getType()->getIntegerBitWidth();
    const bool isSigned = llvm::isa<llvm::SExtInst>(extension);
    // Some lane would wrap around for any value of lane 0.
    if (!llvm::isIntN(bits, span)) return {builder_.getFalse(), firstLane(pointer, root)};
    const llvm::APInt distance(bits, static_cast<std::uint64_t>(span), /*isSigned=*/true, /*implicitTrunc=*/true);
    const llvm::APInt most = isSigned ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
    const llvm::APInt least = isSigned ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits);
    const auto predicate = span >= 0  ? isSigned ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE
                           : isSigned ? llvm::CmpInst::ICMP_SGE
                                      : llvm::CmpInst::ICMP_UGE;
    Value* fits =
        builder_.CreateICmp(predicate, firstLane(narrow, root),
                            llvm::ConstantInt::get(narrow->getType(), span >= 0 ? most - distance : least - distance));
    holds = builder_.CreateAnd(holds, fits);
  }
  return {holds, firstLane(pointer, root)};
}

void Widener::widenLoad(llvm::LoadInst& load) {
  if (const PrivateArrays::Access* access = plan_.arrays.accessOf(&load)) return loadPrivate(load, *access);
  Value* pointer = load.getPointerOperand();
  if (plan_.shapes.of(&load).isUniform()) {
    note(load, AccessShape::Uniform);
    return copyScalar(load, LaneShape::uniform());
  }
  if (Value* found = loadFromTable(load)) return defineWidened(&load, {found});
  auto access = Access::of(load, plan_.shapes.of(pointer), layout_);
  if (!access) return widenLaneByLane(load);
  const bool isPacked = plan_.packed.contains(&load);
  const auto together = [&](Value* first) -> llvm::SmallVector<Value*, 4> {
    if (isPacked) return {loadRow(*access, first, mask_)};
    return loadRows(*access, first, mask_);
  };
  const auto gathered = [&]() -> llvm::SmallVector<Value*, 4> {
    if (isPacked) return {loadLanes(*access, pointer)};
    return loadGathered(*access, pointer);
  };
  if (!isPacked && loadBlocks(*access, load)) return;
  note(load, access->shape());
  if (isPacked ? access->isContiguous() : access->shape() != AccessShape::Gathered)
    return defineWidened(&load, together(uniform(pointer)));
  if (!isPacked && loadFromWindow(load)) return;
  if (isPacked && isUsedInChunks(load)) {
    laneAddresses_[&load] = laneAddresses(*access, pointer);
    return;
  }
  const auto steps = stepsOf(*access, pointer);
  if (!steps && !isUsuallyRow(pointer, access->bytes())) return defineWidened(&load, gathered());
  if (!steps && access->parts == 1 && loadButterfly(load)) return;

  // Usually consecutive: checked at run time before gathering.
  access->laneStride = access->parts;
  BasicBlock *rowBlock = newBlock("row"), *slowBlock = newBlock("gather"), *after = newBlock("loaded");
  const auto [isRow, first] = rowOf(pointer, steps.value_or(LaneSteps{1, std::int64_t(access->bytes())}));
  builder_.CreateCondBr(isRow, rowBlock, slowBlock, llvm::MDBuilder(builder_.getContext()).createLikelyBranchWeights());
  builder_.SetInsertPoint(rowBlock);
  const auto fast = steps ? llvm::SmallVector<Value*, 4>{loadSteps(*access, *steps, first)} : together(first);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(slowBlock);
  const auto slow = gathered();
  slowBlock = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  llvm::SmallVector<Value*, 4> results;
  for (const auto& [ofRow, ofGather] : llvm::zip(fast, slow)) {
    llvm::PHINode* either = builder_.CreatePHI(ofRow->getType(), 2);
    either->addIncoming(ofRow, rowBlock);
    either->addIncoming(ofGather, slowBlock);
    results.push_back(either);
  }
  defineWidened(&load, results);
}

void Widener::widenStore(llvm::StoreInst& store) {
  if (const PrivateArrays::Access* access = plan_.arrays.accessOf(&store)) return storePrivate(store, *access);
  Value* pointer = store.getPointerOperand();
  Value* value = store.getValueOperand();
  if (plan_.shapes.of(pointer).isUniform()) {
    note(store, AccessShape::Uniform);
    return storeOne(store);
  }
  auto access = Access::of(store, plan_.shapes.of(pointer), layout_);
  if (!access) return widenLaneByLane(store);
  if (storeBlocks(*access, store)) return;
  note(store, access->shape());
  if (access->shape() == AccessShape::Gathered && storeToWindow(store)) return;
  const bool isPacked = access->parts > 1 && lanesOf(value).parts.empty();
  const auto together = [&](Value* first) {
    if (isPacked && access->isContiguous()) return storeRow(*access, packed(value), first, mask_);
    storeRows(*access, vectors(value), first, mask_);
  };
  if (access->shape() != AccessShape::Gathered) return together(uniform(pointer));
  if (!isUsuallyRow(pointer, access->bytes())) return storeScattered(*access, value, pointer);
  if (access->parts == 1 && storeButterfly(store)) return;
  access->laneStride = access->parts;
  BasicBlock *rowBlock = newBlock("row"), *slowBlock = newBlock("scatter"), *after = newBlock("stored");
  const auto [isRow, first] = rowOf(pointer, {1, std::int64_t(access->bytes())});
  builder_.CreateCondBr(isRow, rowBlock, slowBlock, llvm::MDBuilder(builder_.getContext()).createLikelyBranchWeights());
  builder_.SetInsertPoint(rowBlock);
  together(first);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(slowBlock);
  storeScattered(*access, value, pointer);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

/// Stores one value, if all lanes store to the same address: any active lane may be the last.
void Widener::storeOne(llvm::StoreInst& store) {
  Value* value = store.getValueOperand();
  Value* last = nullptr;
  if (plan_.shapes.of(value).isUniform()) {
    last = uniform(value);
  } else {
    Value* lane = builder_.getInt32(plan_.width - 1);
    if (mask_ != nullptr) {
      Value* bits = builder_.CreateBitCast(mask_, builder_.getIntNTy(plan_.width));
      lane = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder_.getTrue());
    }
    last = packLane(vectors(value), value->getType(), lane);
  }
  builder_.CreateAlignedStore(last, uniform(store.getPointerOperand()), store.getAlign());
}

} // namespace clotho::compiler
