// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores, by the shape of their addresses.
#include "compiler/transform/vectorise/widener.hpp"

#include <llvm/Analysis/VectorUtils.h>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Value;

namespace {

/// Wider rows of memory between two lanes are gathered one by one.
constexpr std::int64_t kLongestRow = 8;

bool isPlainScalar(llvm::Type* type) {
  if (type->isPointerTy() || type->isHalfTy() || type->isBFloatTy() || type->isFloatTy() || type->isDoubleTy())
    return true;
  return type->isIntegerTy() && (type->getIntegerBitWidth() == 8 || type->getIntegerBitWidth() == 16 ||
                                 type->getIntegerBitWidth() == 32 || type->getIntegerBitWidth() == 64);
}

} // namespace

/// One load or store: each lane has `parts` scalars one after the other, at the address of lane 0 plus a multiple of
/// `row` scalars (or somewhere, when row is 0).
struct Widener::Access {
  llvm::Instruction& instruction;
  llvm::Type* scalar;
  unsigned parts;
  unsigned size; ///< of a scalar, in bytes
  llvm::Align align;
  std::int64_t row;

  /// Small vectors of small scalars, which are quicker moved as one integer a lane than as bytes: its bits, else 0.
  unsigned wholeBits() const {
    const unsigned bytes = parts * size;
    return parts > 1 && size < 4 && (bytes == 2 || bytes == 4 || bytes == 8) ? bytes * 8 : 0;
  }
  Access whole(llvm::LLVMContext& context) const {
    return {instruction, llvm::Type::getIntNTy(context, wholeBits()), 1, wholeBits() / 8, align, 1};
  }
  bool isContiguous() const { return row == static_cast<std::int64_t>(parts); }
  bool isReversed() const { return parts == 1 && row == -1; }
  bool isInterleaved() const { return row >= static_cast<std::int64_t>(parts) && row <= kLongestRow; }
  llvm::Align scalarAlign(std::uint64_t part = 0) const { return llvm::commonAlignment(align, part * size); }
  AccessShape shape() const {
    if (isContiguous()) return AccessShape::Consecutive;
    if (isReversed()) return AccessShape::Reversed;
    return isInterleaved() ? AccessShape::Strided : AccessShape::Gathered;
  }

  static std::optional<Access> of(llvm::Instruction& instruction, LaneShape pointer, const llvm::DataLayout& layout) {
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
};

void Widener::note(llvm::Instruction& access, AccessShape shape) {
  if (report_ == nullptr || !access.getDebugLoc()) return;
  report_->accesses.push_back(
      {access.getDebugLoc().getLine(), llvm::isa<llvm::StoreInst>(access), shape, mask_ != nullptr});
}

/// Interleaved by lane where PrivateArrays allows it, else one whole copy for each lane.
void Widener::createPrivateMemory() {
  for (llvm::Instruction& instruction : plan_.kernel.getEntryBlock()) {
    auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (memory == nullptr) continue;
    const std::uint64_t size = memory->getAllocationSize(layout_)->getFixedValue();
    Builder entry(entry_, entry_->begin());
    if (const unsigned unit = plan_.arrays.unitOf(memory)) {
      llvm::Type* row = wide(entry.getIntNTy(unit * 8));
      auto* made = entry.CreateAlloca(llvm::ArrayType::get(row, size / unit), nullptr, memory->getName());
      made->setAlignment(llvm::Align(layout_.getTypeStoreSize(row).getFixedValue()));
      memory_[memory] = made;
    } else {
      const LaneShape shape = plan_.shapes.of(memory);
      auto* made = entry.CreateAlloca(
          llvm::ArrayType::get(entry.getInt8Ty(), static_cast<std::uint64_t>(shape.stride()) * plan_.width), nullptr,
          memory->getName());
      made->setAlignment(memory->getAlign());
      define(memory, {shape, made, {}});
    }
  }
}

/// Of the row that all lanes use, or of each lane's element.
Value* Widener::privateAddress(const PrivateArrays::Access& access, std::uint64_t offset) {
  llvm::AllocaInst* memory = memory_.lookup(access.array);
  // What the sum comes to is within the array, so 32 bits are enough for it.
  llvm::Type* i32 = builder_.getInt32Ty();
  const bool shared =
      llvm::all_of(access.terms, [&](const auto& term) { return plan_.shapes.of(term.index).isUniform(); });
  Value* row = shared ? builder_.getInt32(access.offset + offset) : splat(builder_.getInt32(access.offset + offset));
  for (const PrivateArrays::Term& term : access.terms) {
    Value* index = shared ? uniform(term.index) : vector(term.index);
    index = builder_.CreateSExtOrTrunc(index, shared ? i32 : wide(i32));
    row =
        builder_.CreateAdd(row, builder_.CreateMul(index, llvm::ConstantInt::getSigned(index->getType(), term.scale)));
  }
  if (shared) return builder_.CreateGEP(memory->getAllocatedType()->getArrayElementType(), memory, row);
  Value* element = builder_.CreateAdd(builder_.CreateMul(row, llvm::ConstantInt::get(row->getType(), plan_.width)),
                                      laneNumbers(i32, 1));
  return builder_.CreateGEP(memory->getAllocatedType()->getArrayElementType()->getScalarType(), memory,
                            builder_.CreateSExt(element, wide(builder_.getInt64Ty())));
}

void Widener::loadPrivate(llvm::LoadInst& load, const PrivateArrays::Access& access) {
  note(load, AccessShape::Private);
  llvm::SmallVector<Value*, 4> parts;
  for (llvm::Type* scalar : scalarsOf(load.getType())) {
    Value* address = privateAddress(access, parts.size());
    const llvm::Align unit(layout_.getTypeStoreSize(scalar).getFixedValue());
    if (address->getType()->isVectorTy())
      parts.push_back(gather(address, scalar, unit));
    else
      parts.push_back(builder_.CreateAlignedLoad(wide(scalar), address, llvm::Align(unit.value() * plan_.width)));
  }
  defineParts(&load, parts);
}

void Widener::storePrivate(llvm::StoreInst& store, const PrivateArrays::Access& access) {
  note(store, AccessShape::Private);
  unsigned offset = 0;
  for (Value* part : vectors(store.getValueOperand())) {
    Value* address = privateAddress(access, offset++);
    const llvm::Align unit(layout_.getTypeStoreSize(part->getType()->getScalarType()).getFixedValue());
    if (address->getType()->isVectorTy()) {
      scatter(part, address, unit);
      continue;
    }
    const llvm::Align row(unit.value() * plan_.width);
    // Nobody else sees the memory, so lanes that are not live may be written back as they were.
    if (mask_ != nullptr)
      part = builder_.CreateSelect(mask_, part, builder_.CreateAlignedLoad(part->getType(), address, row));
    builder_.CreateAlignedStore(part, address, row);
  }
}

/// x86 has gathers of 32 and 64 bits; smaller scalars are cut out of the aligned 32 bits around them, which lie in the
/// same page.
Value* Widener::gather(Value* pointers, llvm::Type* scalar, llvm::Align align) {
  const unsigned bits = layout_.getTypeSizeInBits(scalar);
  if (bits >= 32 || align.value() * 8 < bits)
    return builder_.CreateMaskedGather(wide(scalar), pointers, align, liveMask());
  llvm::Type* i32 = wide(builder_.getInt32Ty());
  llvm::Type* address = wide(builder_.getInt64Ty());
  Value* places = builder_.CreatePtrToInt(pointers, address);
  Value* within = builder_.CreateAnd(places, llvm::ConstantInt::get(address, 3));
  Value* whole = builder_.CreateMaskedGather(
      i32, builder_.CreateGEP(builder_.getInt8Ty(), pointers, builder_.CreateNeg(within)), llvm::Align(4), liveMask());
  Value* shift = builder_.CreateShl(builder_.CreateTrunc(within, i32), llvm::ConstantInt::get(i32, 3));
  Value* low = builder_.CreateTrunc(builder_.CreateLShr(whole, shift), wide(builder_.getIntNTy(bits)));
  return builder_.CreateBitCast(low, wide(scalar));
}

void Widener::scatter(Value* value, Value* pointers, llvm::Align align) {
  builder_.CreateMaskedScatter(value, pointers, align, liveMask());
}

namespace {

/// Each bit of a mask `row` times; only the first `parts` of them.
Value* repeatMask(llvm::IRBuilder<>& builder, Value* mask, unsigned width, unsigned row, unsigned parts) {
  llvm::SmallVector<int, 64> from;
  for (unsigned lane = 0; lane < width; ++lane)
    for (unsigned i = 0; i < row; ++i)
      from.push_back(i < parts ? static_cast<int>(lane) : static_cast<int>(width));
  return builder.CreateShuffleVector(mask, llvm::Constant::getNullValue(mask->getType()), from);
}

} // namespace

/// From the address of lane 0 on, rows of `access.row` scalars.
llvm::SmallVector<Value*, 4> Widener::loadRows(const Access& access, Value* first, Value* mask) {
  const unsigned width = plan_.width, parts = access.parts;
  if (access.isReversed()) {
    Value* address = builder_.CreateConstGEP1_64(access.scalar, first, -static_cast<std::int64_t>(width - 1));
    Value* backwards =
        mask == nullptr
            ? static_cast<Value*>(builder_.CreateAlignedLoad(wide(access.scalar), address, access.align))
            : builder_.CreateMaskedLoad(wide(access.scalar), address, access.align, builder_.CreateVectorReverse(mask));
    return {builder_.CreateVectorReverse(backwards)};
  }
  if (access.isContiguous() && access.wholeBits() != 0) {
    const llvm::SmallVector<llvm::Type*, 8> scalars(parts, access.scalar);
    return regroup(loadRows(access.whole(target_.getContext()), first, mask), scalars);
  }
  const unsigned row = static_cast<unsigned>(access.row);
  auto* type = llvm::FixedVectorType::get(access.scalar, width * row);
  Value* all = nullptr;
  if (mask == nullptr && row == parts) {
    auto* whole = builder_.CreateAlignedLoad(type, first, access.align);
    whole->copyMetadata(access.instruction, {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_invariant_load,
                                             llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias,
                                             llvm::LLVMContext::MD_nontemporal});
    all = whole;
  } else {
    all = builder_.CreateMaskedLoad(
        type, first, access.align,
        row == 1 ? mask : repeatMask(builder_, mask != nullptr ? mask : allLanes(), width, row, parts));
  }
  if (row == 1) return {all};
  llvm::SmallVector<Value*, 4> results;
  for (unsigned part = 0; part < parts; ++part)
    results.push_back(builder_.CreateShuffleVector(all, llvm::createStrideMask(part, row, width)));
  return results;
}

/// Vectors of 16 bytes a lane: one load each, then a transposition, which is quicker than as many gathers as there are
/// parts. Lanes that are not live read where a live one does.
llvm::SmallVector<Value*, 4> Widener::loadWhole(const Access& access, Value* pointers) {
  if (mask_ != nullptr) {
    Value* bits = builder_.CreateBitCast(mask_, builder_.getIntNTy(plan_.width));
    Value* live = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder_.getTrue());
    pointers = builder_.CreateSelect(mask_, pointers, splat(builder_.CreateExtractElement(pointers, live)));
  }
  auto* type = llvm::FixedVectorType::get(access.scalar, access.parts);
  llvm::SmallVector<Value*, 16> lanes;
  for (unsigned lane = 0; lane < plan_.width; ++lane)
    lanes.push_back(builder_.CreateAlignedLoad(type, builder_.CreateExtractElement(pointers, lane), access.align));
  Value* all = llvm::concatenateVectors(builder_, lanes);
  llvm::SmallVector<Value*, 4> results;
  for (unsigned part = 0; part < access.parts; ++part)
    results.push_back(builder_.CreateShuffleVector(all, llvm::createStrideMask(part, access.parts, plan_.width)));
  return results;
}

/// Each lane from its own address.
llvm::SmallVector<Value*, 4> Widener::loadApart(const Access& access, Value* pointers) {
  const unsigned bytes = access.parts * access.size;
  if (access.parts > 1 && llvm::isPowerOf2_32(access.parts)) {
    if (bytes == 16) return loadWhole(access, pointers);
    if (bytes == 4 || bytes == 8) {
      const llvm::SmallVector<llvm::Type*, 4> scalars(access.parts, access.scalar);
      return regroup(gather(pointers, builder_.getIntNTy(bytes * 8), access.align), scalars);
    }
  }
  llvm::SmallVector<Value*, 4> results;
  for (unsigned part = 0; part < access.parts; ++part) {
    Value* at = part == 0 ? pointers : builder_.CreateConstGEP1_64(access.scalar, pointers, part);
    results.push_back(gather(at, access.scalar, access.scalarAlign(part)));
  }
  return results;
}

void Widener::storeRows(const Access& access, llvm::ArrayRef<Value*> parts, Value* first, Value* mask) {
  const unsigned width = plan_.width;
  if (access.isReversed()) {
    Value* address = builder_.CreateConstGEP1_64(access.scalar, first, -static_cast<std::int64_t>(width - 1));
    Value* backwards = builder_.CreateVectorReverse(parts.front());
    if (mask == nullptr)
      builder_.CreateAlignedStore(backwards, address, access.align);
    else
      builder_.CreateMaskedStore(backwards, address, access.align, builder_.CreateVectorReverse(mask));
    return;
  }
  if (access.isContiguous() && access.wholeBits() != 0) {
    const Access whole = access.whole(target_.getContext());
    return storeRows(whole, regroup(parts, {whole.scalar}), first, mask);
  }
  const unsigned row = static_cast<unsigned>(access.row);
  Value* all = parts.front();
  if (row > 1) {
    llvm::SmallVector<Value*, 8> columns(parts.begin(), parts.end());
    columns.resize(row, llvm::PoisonValue::get(all->getType()));
    all = builder_.CreateShuffleVector(llvm::concatenateVectors(builder_, columns),
                                       llvm::createInterleaveMask(width, row));
  }
  if (mask == nullptr && access.isContiguous()) {
    auto* whole = builder_.CreateAlignedStore(all, first, access.align);
    whole->copyMetadata(access.instruction, {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_alias_scope,
                                             llvm::LLVMContext::MD_noalias, llvm::LLVMContext::MD_nontemporal});
  } else {
    builder_.CreateMaskedStore(
        all, first, access.align,
        row == 1 ? mask : repeatMask(builder_, mask != nullptr ? mask : allLanes(), width, row, access.parts));
  }
}

void Widener::storeApart(const Access& access, llvm::ArrayRef<Value*> parts, Value* pointers) {
  const unsigned bytes = access.parts * access.size;
  if (access.parts > 1 && (bytes == 4 || bytes == 8)) {
    scatter(regroup(parts, {builder_.getIntNTy(bytes * 8)}).front(), pointers, access.align);
    return;
  }
  for (unsigned part = 0; part < parts.size(); ++part) {
    Value* at = part == 0 ? pointers : builder_.CreateConstGEP1_64(access.scalar, pointers, part);
    scatter(parts[part], at, access.scalarAlign(part));
  }
}

/// Whether the live lanes' addresses follow each other by `stride` bytes.
Value* Widener::areInRow(Value* pointers, Value* first, std::int64_t stride) {
  Value* expected = builder_.CreatePtrAdd(first, laneNumbers(builder_.getInt64Ty(), stride));
  Value* differ = builder_.CreateICmpNE(pointers, expected);
  return builder_.CreateNot(any(both(mask_, differ)));
}

void Widener::widenLoad(llvm::LoadInst& load) {
  if (const PrivateArrays::Access* access = plan_.arrays.accessOf(&load)) return loadPrivate(load, *access);
  const LaneShape pointer = plan_.shapes.of(load.getPointerOperand());
  if (plan_.shapes.of(&load).isUniform()) {
    note(load, AccessShape::Uniform);
    return copyScalar(load, LaneShape::uniform());
  }
  auto access = Access::of(load, pointer, layout_);
  if (!access) return widenLaneByLane(load);
  note(load, access->shape());
  if (access->shape() != AccessShape::Gathered)
    return defineParts(&load, loadRows(*access, uniform(load.getPointerOperand()), mask_));
  if (loadFromWindow(load)) return;
  Value* pointers = vector(load.getPointerOperand());
  const auto stride = plan_.shapes.usualStride(load.getPointerOperand());
  if (pointer.isAffine() || !stride || *stride != static_cast<std::int64_t>(access->parts) * access->size)
    return defineParts(&load, loadApart(*access, pointers));

  // Neighbours in most sub-groups: looked at before it is gathered.
  Value* first = builder_.CreateExtractElement(pointers, std::uint64_t(0));
  BasicBlock *together = newBlock("row"), *apart = newBlock("gather"), *after = newBlock("loaded");
  builder_.CreateCondBr(areInRow(pointers, first, *stride), together, apart);
  builder_.SetInsertPoint(together);
  access->row = access->parts;
  const auto fast = loadRows(*access, first, mask_);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(apart);
  const auto slow = loadApart(*access, pointers);
  apart = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  llvm::SmallVector<Value*, 4> results;
  for (const auto& [fastPart, slowPart] : llvm::zip(fast, slow)) {
    llvm::PHINode* part = builder_.CreatePHI(fastPart->getType(), 2);
    part->addIncoming(fastPart, together);
    part->addIncoming(slowPart, apart);
    results.push_back(part);
  }
  defineParts(&load, results);
}

void Widener::widenStore(llvm::StoreInst& store) {
  if (const PrivateArrays::Access* access = plan_.arrays.accessOf(&store)) return storePrivate(store, *access);
  const LaneShape pointer = plan_.shapes.of(store.getPointerOperand());
  Value* value = store.getValueOperand();
  if (pointer.isUniform()) {
    note(store, AccessShape::Uniform);
    Value* last = nullptr;
    if (plan_.shapes.of(value).isUniform()) {
      last = uniform(value);
    } else {
      // Any lane may come last.
      Value* lane = builder_.getInt32(plan_.width - 1);
      if (mask_ != nullptr) {
        Value* bits = builder_.CreateBitCast(mask_, builder_.getIntNTy(plan_.width));
        lane = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder_.getTrue());
      }
      last = packLane(vectors(value), value->getType(), lane);
    }
    builder_.CreateAlignedStore(last, uniform(store.getPointerOperand()), store.getAlign());
    return;
  }
  auto access = Access::of(store, pointer, layout_);
  if (!access) return widenLaneByLane(store);
  note(store, access->shape());
  if (access->shape() == AccessShape::Gathered && storeToWindow(store)) return;
  const auto parts = vectors(value);
  if (access->shape() != AccessShape::Gathered)
    return storeRows(*access, parts, uniform(store.getPointerOperand()), mask_);
  Value* pointers = vector(store.getPointerOperand());
  const auto stride = plan_.shapes.usualStride(store.getPointerOperand());
  if (pointer.isAffine() || !stride || *stride != static_cast<std::int64_t>(access->parts) * access->size)
    return storeApart(*access, parts, pointers);
  Value* first = builder_.CreateExtractElement(pointers, std::uint64_t(0));
  BasicBlock *together = newBlock("row"), *apart = newBlock("scatter"), *after = newBlock("stored");
  builder_.CreateCondBr(areInRow(pointers, first, *stride), together, apart);
  builder_.SetInsertPoint(together);
  access->row = access->parts;
  storeRows(*access, parts, first, mask_);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(apart);
  storeApart(*access, parts, pointers);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

} // namespace clotho::compiler
