// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors at a stride that are transposed in registers: chunks of each lane's vector, and interleaved registers.
#include "compiler/transform/widen/widen_access.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {

using llvm::Value;

namespace {

/// Bytes of a block that is moved at once, and of its chunks.
constexpr unsigned kBlockBytes = 16, kChunkBytes = 8;
/// Lanes whose chunks are assembled from two vectors.
constexpr unsigned kLanesAtOnce = 4;

/// Whether the shuffle extracts an aligned 8-byte chunk of the vector.
bool takesChunk(const llvm::ShuffleVectorInst& shuffle) {
  int begin = 0;
  const auto* from = llvm::cast<llvm::FixedVectorType>(shuffle.getOperand(0)->getType());
  const unsigned to = shuffle.getShuffleMask().size();
  return llvm::none_of(shuffle.getShuffleMask(), [](int index) { return index < 0; }) &&
         shuffle.isExtractSubvectorMask(begin) && begin % to == 0 && begin + to <= from->getNumElements() &&
         to * from->getScalarSizeInBits() == 8 * kChunkBytes;
}

using Registers = llvm::SmallVector<Value*, 16>;

/// Joins pairs of registers, taking every second block of `perBlock` elements: the even ones, or the odd ones.
Registers everySecondBlock(llvm::IRBuilderBase& builder, llvm::ArrayRef<Value*> registers, unsigned perBlock,
                           unsigned odd) {
  const unsigned elements = llvm::cast<llvm::FixedVectorType>(registers.front()->getType())->getNumElements();
  llvm::SmallVector<int, 64> mask;
  for (unsigned block = odd; block < 2 * elements / perBlock; block += 2)
    for (unsigned i = 0; i < perBlock; ++i)
      mask.push_back(static_cast<int>(block * perBlock + i));
  Registers result;
  for (unsigned i = 0; i < registers.size(); i += 2)
    result.push_back(builder.CreateShuffleVector(registers[i], registers[i + 1], mask));
  return result;
}

/// Transposes blocks: register i of the result has block i of each register; there are as many registers as blocks.
Registers transposeBlocks(llvm::IRBuilderBase& builder, const Registers& registers, unsigned perBlock) {
  if (registers.size() == 1) return registers;
  Registers result(registers.size());
  for (const unsigned odd : {0U, 1U}) {
    const Registers half = transposeBlocks(builder, everySecondBlock(builder, registers, perBlock, odd), perBlock);
    for (unsigned i = 0; i < half.size(); ++i)
      result[2 * i + odd] = half[i];
  }
  return result;
}

/// Interleaves two registers: in each block of `perBlock` elements, their lower or upper halves.
Value* interleave(llvm::IRBuilderBase& builder, Value* one, Value* other, unsigned perBlock, unsigned half) {
  const unsigned elements = llvm::cast<llvm::FixedVectorType>(one->getType())->getNumElements();
  llvm::SmallVector<int, 64> mask;
  for (unsigned block = 0; block < elements; block += perBlock)
    for (unsigned i = 0; i < perBlock; ++i)
      mask.push_back(static_cast<int>(block + half * perBlock / 2 + i / 2 + i % 2 * elements));
  return builder.CreateShuffleVector(one, other, mask);
}

/// Transposes within blocks of as many elements as there are registers: register i of the result has element i of each.
Registers transposeInBlocks(llvm::IRBuilderBase& builder, Registers registers) {
  const unsigned count = registers.size();
  for (unsigned step = 1; step < count; step *= 2) {
    Registers next;
    for (unsigned i = 0; i < count / 2; ++i)
      for (const unsigned half : {0U, 1U})
        next.push_back(interleave(builder, registers[i], registers[i + count / 2], count, half));
    registers = std::move(next);
  }
  return registers;
}

} // namespace

/// Whether the vectors of a load are used only in chunks, decided before anything is emitted. The chunks are loaded
/// when needed, two at once: half of the rearrangement is done by loading them at the right position.
bool Widener::isUsedInChunks(const llvm::LoadInst& load) const {
  const auto bytes = layout_.getTypeStoreSize(load.getType()).getFixedValue();
  if (plan_.width % kLanesAtOnce != 0 || bytes % kBlockBytes != 0 || load.use_empty()) return false;
  llvm::SmallPtrSet<const llvm::User*, 8> left;
  for (const llvm::User* user : load.users()) {
    const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(user);
    if (shuffle == nullptr || shuffle->getOperand(0) != &load || shuffle->getOperand(1) == &load ||
        !plan_.packed.contains(shuffle) || !takesChunk(*shuffle))
      return false;
    left.insert(user);
  }
  for (const llvm::Instruction* at = load.getNextNode(); !left.empty(); at = at->getNextNode()) {
    if (at == nullptr || at->mayWriteToMemory()) return false;
    left.erase(at);
  }
  return true;
}

/// Loads one chunk of each lane, in memory order. For four lanes: joins the blocks of the first and third, and of the
/// second and fourth, and interleaves the lower or upper chunks of both.
Value* Widener::chunkOfVectors(const llvm::LoadInst& load, unsigned number) {
  if (Value* made = chunks_.lookup({&load, number})) return made;
  auto* block = llvm::FixedVectorType::get(builder_.getInt64Ty(), 2);
  const llvm::ArrayRef<Value*> rows = laneAddresses_[&load];
  const unsigned offset = number * kChunkBytes / kBlockBytes * kBlockBytes;
  const auto blockOf = [&](unsigned lane) {
    return builder_.CreateAlignedLoad(block, builder_.CreateConstGEP1_64(builder_.getInt8Ty(), rows[lane], offset),
                                      llvm::commonAlignment(load.getAlign(), offset));
  };
  llvm::SmallVector<Value*, 16> lower, upper;
  for (unsigned lane = 0; lane < plan_.width; lane += kLanesAtOnce) {
    Value* even = llvm::concatenateVectors(builder_, {blockOf(lane), blockOf(lane + 2)});
    Value* odd = llvm::concatenateVectors(builder_, {blockOf(lane + 1), blockOf(lane + 3)});
    lower.push_back(builder_.CreateShuffleVector(even, odd, {0, 4, 2, 6}));
    upper.push_back(builder_.CreateShuffleVector(even, odd, {1, 5, 3, 7}));
  }
  const auto* row = llvm::cast<llvm::FixedVectorType>(load.getType());
  auto* chunk =
      packedType(llvm::FixedVectorType::get(row->getElementType(), 8 * kChunkBytes / row->getScalarSizeInBits()));
  const unsigned first = offset / kChunkBytes;
  for (const auto& [at, parts] : {std::pair(first, lower), std::pair(first + 1, upper)})
    chunks_[{&load, at}] = builder_.CreateBitCast(llvm::concatenateVectors(builder_, parts), chunk);
  return chunks_[{&load, number}];
}

/// Loads four or more parts and deinterleaves them register by register: even and odd elements of two neighbours,
/// repeatedly, one instruction each. For one long vector LLVM would combine the shuffles and need half as many again.
/// Empty if the method does not apply: fewer lanes than a register has elements, or no permutation of two registers for
/// the type.
llvm::SmallVector<Value*, 4> Widener::loadTransposed(const Access& access, Value* first, Value* mask) {
  constexpr unsigned kRegisterBits = 512, kFewestParts = 4, kLeastBits = 16;
  const unsigned bits = layout_.getTypeStoreSizeInBits(access.scalar).getFixedValue(), width = kRegisterBits / bits;
  if (mask != nullptr || plan_.cpu.vectorBits < kRegisterBits || bits < kLeastBits || plan_.width < width ||
      access.parts < kFewestParts || !llvm::isPowerOf2_32(access.parts))
    return {};
  touchRow(access, first);
  auto* type = llvm::FixedVectorType::get(access.scalar, width);
  llvm::SmallVector<Registers, 4> parts(1);
  for (unsigned i = 0; i < plan_.width / width * access.parts; ++i)
    parts[0].push_back(loadFrom(access.instruction, type, builder_.CreateConstGEP1_64(type, first, i),
                                llvm::commonAlignment(access.align, i * kRegisterBits / 8)));
  while (parts.size() < access.parts) {
    llvm::SmallVector<Registers, 4> halves;
    for (const unsigned odd : {0u, 1u})
      for (const Registers& part : parts)
        halves.push_back(everySecondBlock(builder_, part, 1, odd));
    parts = std::move(halves);
  }
  llvm::SmallVector<Value*, 4> results;
  for (const Registers& part : parts)
    results.push_back(llvm::concatenateVectors(builder_, part));
  return results;
}

/// Transposes lanes' vectors: square tiles of as many lanes and elements as a register has, or
/// as there are lanes, are transposed in blocks of 16 bytes and then within these. A square of n registers takes n
/// instructions for each of log2(n) steps. Empty if vectors are shorter.
llvm::SmallVector<Value*, 4> Widener::unpackTiles(Value* packed, llvm::Type* scalar, unsigned parts) {
  const unsigned size = layout_.getTypeStoreSize(scalar).getFixedValue(), perBlock = kBlockBytes / size,
                 ofRegister = plan_.cpu.vectorBits / 8 / size, side = std::min(ofRegister, plan_.width);
  if (perBlock < 2 || side < perBlock || !llvm::isPowerOf2_32(side) || parts % side != 0 || plan_.width % side != 0)
    return {};
  llvm::SmallVector<Registers, 16> results(parts);
  for (unsigned firstLane = 0; firstLane < plan_.width; firstLane += side)
    for (unsigned firstPart = 0; firstPart < parts; firstPart += side) {
      llvm::SmallVector<Registers, 16> ofElement(perBlock); // one vector for each element of a block
      for (unsigned lane = firstLane; lane < firstLane + side; lane += perBlock) {
        Registers rows;
        for (unsigned i = 0; i < perBlock; ++i)
          rows.push_back(builder_.CreateShuffleVector(
              packed, llvm::createSequentialMask((lane + i) * parts + firstPart, side, 0)));
        for (auto [element, made] : llvm::zip(ofElement, transposeInBlocks(builder_, rows)))
          element.push_back(made);
      }
      for (unsigned element = 0; element < perBlock; ++element) {
        const Registers made = transposeBlocks(builder_, ofElement[element], perBlock);
        for (unsigned block = 0; block < made.size(); ++block)
          results[firstPart + block * perBlock + element].push_back(made[block]);
      }
    }
  llvm::SmallVector<Value*, 4> joined;
  for (const Registers& part : results)
    joined.push_back(llvm::concatenateVectors(builder_, part));
  return joined;
}

/// Stores each lane's vector contiguously, from vectors that have one part of each lane. In 16-byte blocks, parts and
/// lanes are transposed by interleaving lower and upper halves, one instruction each; a lane's blocks are joined when
/// stored. Returns false, and emits nothing, if the method does not apply.
bool Widener::storeTransposed(const Access& access, Value* value, Value* pointer) {
  const unsigned perBlock = kBlockBytes / access.size, parts = access.parts;
  const auto isBlocks = [&](unsigned count) { return count >= perBlock && llvm::isPowerOf2_32(count); };
  if (mask_ != nullptr || perBlock < 2 || !isBlocks(parts) || !isBlocks(plan_.width)) return false;
  const auto addresses = laneAddresses(access, pointer);
  const auto given = vectors(value);
  // Register `first + i` has in its block b the parts from `first` on of lane `b * perBlock + i`.
  Registers blocks;
  for (unsigned first = 0; first < parts; first += perBlock)
    llvm::append_range(blocks, transposeInBlocks(builder_, {given.begin() + first, given.begin() + first + perBlock}));
  const unsigned atOnce = std::max(std::min(parts, plan_.cpu.vectorBits / 8 / access.size), perBlock);
  for (unsigned lane = 0; lane < plan_.width; ++lane)
    for (unsigned begin = 0; begin < parts; begin += atOnce) {
      llvm::SmallVector<Value*, 4> chunks;
      const auto own = llvm::createSequentialMask(lane / perBlock * perBlock, perBlock, 0);
      for (unsigned first = begin; first < begin + atOnce; first += perBlock)
        chunks.push_back(builder_.CreateShuffleVector(blocks[first + lane % perBlock], own));
      builder_.CreateAlignedStore(llvm::concatenateVectors(builder_, chunks),
                                  builder_.CreateConstGEP1_64(access.scalar, addresses[lane], begin),
                                  access.scalarAlign(begin));
    }
  return true;
}

} // namespace clotho::compiler
