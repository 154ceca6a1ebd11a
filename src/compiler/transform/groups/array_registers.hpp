// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/known_accesses.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallBitVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace clotho::compiler {

/// Keeps a local array in registers. The array is divided into register-sized chunks. Within a block, each lane of a
/// chunk is known as a lane of some vector. So stores emit no instructions but record the new contents, and loads are
/// shuffles of stored vectors.
class ArrayRegisters {
 public:
  ArrayRegisters(llvm::Argument& array, KnownAccesses accesses, unsigned registerBytes)
      : array_(array), accesses_(std::move(accesses)), lanes_(static_cast<int>(registerBytes / accesses_.unitBytes)) {}

  /// Replaces and erases all accesses.
  void run(llvm::DominatorTree& tree);

 private:
  /// Content of a lane of a register: element `number` of `vector`, which is null if no access needs the lane.
  struct Lane {
    llvm::Value* vector = nullptr;
    int number = 0;
    bool operator==(const Lane&) const = default;
  };
  using Lanes = llvm::SmallVector<Lane, 16>;
  struct Extremes {
    llvm::Value *minimum = nullptr, *maximum = nullptr;
  };
  /// Element numbers of the lanes of one register; -1: not accessed.
  using Offsets = llvm::ArrayRef<std::int64_t>;

  llvm::FixedVectorType* type() const { return llvm::FixedVectorType::get(accesses_.unit, lanes_); }
  void makeChunks();
  void endBlock(llvm::BasicBlock& block);
  void read(const KnownAccess& access);
  void write(const KnownAccess& access);

  Lanes& chunk(llvm::IRBuilder<>& builder, std::int64_t index);
  Lanes lanesAt(llvm::IRBuilder<>& builder, Offsets offsets);
  llvm::Value* gather(llvm::IRBuilder<>& builder, const Lanes& lanes) const;
  llvm::Value* readPart(llvm::IRBuilder<>& builder, Offsets offsets);
  Lanes choose(llvm::IRBuilder<>& builder, llvm::Value* mask, llvm::Value* value, Offsets offsets);
  bool chooseByOrder(llvm::IRBuilder<>& builder, llvm::Value* mask, llvm::Value* value, Lanes& lanes);
  llvm::SmallVector<llvm::Value*, 8> split(llvm::IRBuilder<>& builder, llvm::Value* value, int count) const;
  static Lane origin(llvm::Value* vector, int lane);

  llvm::Argument& array_;
  KnownAccesses accesses_;
  int lanes_;
  /// One alloca a chunk, which holds the chunk from one basic block to the next.
  llvm::SmallVector<llvm::AllocaInst*, 64> memory_;
  std::vector<Lanes> chunks_; ///< Current lanes of each chunk; empty until the block accesses it
  llvm::SmallBitVector isChanged_;
  llvm::DenseMap<const llvm::ICmpInst*, Extremes> extremes_; ///< Extremes of each comparison's operands, in the block
};

} // namespace clotho::compiler
