// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/affine_address.hpp"
#include "compiler/analysis/tile_accesses.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/// Tiles that a work-group fills in loops, each element once.
namespace clotho::compiler {

/// Most elements of a tile, so that the product of two such numbers has 32 bits.
inline constexpr std::int64_t kMostTileElements = 1 << 14;

/// One dimension of a tile and how it is filled. Either it has as many elements as work-items, or a loop goes from a
/// work-item's first element to its next.
struct TileSide {
  llvm::Value* index;
  llvm::Loop* loop;   ///< null: the index is a local id
  std::int64_t bytes; ///< Stride from one element to the next
  std::int64_t count; ///< Number of elements
};

struct TileFill {
  llvm::StoreInst* store;
  llvm::SmallVector<TileSide, 2> sides; ///< Sides, sorted from the largest stride to the smallest
  llvm::Loop* outermost;
  llvm::SmallVector<llvm::BasicBlock*, 8> blocks; ///< Blocks of the innermost loop, behind its header up to the store
};

/// A load of an element, with its index in each dimension.
struct TileRead {
  llvm::LoadInst* load;
  const llvm::BasicBlock* at; ///< its block in the unchanged kernel
  const TileFill* fill;
  llvm::SmallVector<AffineForm, 2> indices; ///< Index in each dimension, in elements
};

/// How tiles are filled, and which elements are read.
class TileFills {
 public:
  TileFills(llvm::Function& kernel, Accesses& accesses, llvm::FunctionAnalysisManager& analyses);
  ~TileFills();

  /// The local size for which each element is filled once before it is read; nothing if there is none.
  std::optional<LocalSize> find();

  /// One for each tile.
  const std::vector<TileFill>& fills() const;
  const std::vector<TileRead>& reads() const;

  /// Whether the instruction was uniform in the unchanged kernel.
  bool isUniform(const llvm::Instruction& instruction) const;

  struct Split {
    AffineForm quotient, remainder;
  };
  /// Divides a sum by a constant. The varying terms must be multiples of it, or so small that they do not reach the
  /// next multiple. `at`: the block in which the sum is, in the unchanged kernel.
  std::optional<Split> divide(const AffineForm& sum, std::int64_t by, const llvm::BasicBlock& at);

  /// Call before the kernel is changed: divide() then knows only the ranges of values that it has been asked for
  /// before.
  void keepRanges();

 private:
  class Finder;
  std::unique_ptr<Finder> finder_;
};

} // namespace clotho::compiler
