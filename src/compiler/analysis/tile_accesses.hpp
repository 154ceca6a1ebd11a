// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/affine_address.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>

/// Accesses of kernels to tiles: local memory that a work-group fills, and reads after a barrier.
namespace clotho::compiler {

/// Longest side of a tile, in elements; longer ones do not lie in the nearest cache.
inline constexpr std::uint64_t kLongestSide = 64;
inline constexpr unsigned kSideBits = 8; ///< Number of bits that hold a row or a column
static_assert(kLongestSide < 1U << (kSideBits - 1));

/// Row or column index in a tile: `variable`, if any, plus a constant.
struct Index {
  llvm::Value* variable = nullptr;
  std::uint64_t constant = 0;
};

struct TileElement {
  Index row, column;
};

/// A tile: local T tile[rows][columns], or one-dimensional memory with the same use.
struct Tile {
  std::uint64_t rows = 0, columns = 0, elementBytes = 0; ///< `rows` is 0 if the program does not set their number
  llvm::Type* element = nullptr;
  llvm::StoreInst* store = nullptr; ///< the only one
  /// Dimension whose local id is the row that a work-item fills; the other one's is the column.
  unsigned rowDimension = 1;
  llvm::SmallVector<llvm::LoadInst*, 8> loads;
};

/// Accesses of a kernel that only fills and reads tiles, and accesses memory that different arguments point to.
struct Accesses {
  llvm::MapVector<llvm::Value*, Tile> tiles; ///< keys: the local variable or argument
  llvm::SmallVector<llvm::Instruction*, 4> barriers;

  /// Whether each iteration of the loop passes a barrier that is in no inner loop.
  bool hasBarrierIn(const llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators) const;
};

bool isLocalId(llvm::Value* value, unsigned dimension);
bool isLocalId(const Index& index, unsigned dimension);

/// Nothing for kernels with other accesses.
std::optional<Accesses> findAccesses(llvm::Function& kernel);

/// Offset of a pointer from the beginning of its variable or argument, in bytes. 32-bit sums are decomposed as if they
/// did not wrap around, which is true of indices within the tile.
std::optional<AffineForm> offsetInTile(const llvm::Value& pointer, const llvm::DataLayout& layout);

} // namespace clotho::compiler
