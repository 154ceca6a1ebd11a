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

/// What kernels do with tiles: local memory that a work-group fills and reads after a barrier.
namespace clotho::compiler {

inline constexpr std::uint64_t kLongestSide = 64; ///< of a tile: longer ones do not lie in the nearest cache
inline constexpr unsigned kSideBits = 8;          ///< that hold a row or a column
static_assert(kLongestSide < 1U << (kSideBits - 1));

/// A row or a column of a tile: of `variable`, if any, and a constant.
struct Index {
  llvm::Value* variable = nullptr;
  std::uint64_t constant = 0;
};

struct TileElement {
  Index row, column;
};

/// local T tile[rows][columns], or memory of one dimension that is used so.
struct Tile {
  std::uint64_t rows = 0, columns = 0, elementBytes = 0; ///< rows: 0 where the program does not say how many there are
  llvm::Type* element = nullptr;
  llvm::StoreInst* store = nullptr; ///< the only one
  unsigned rowDimension = 1;        ///< whose local id is the row that a work-item fills; the column is the other one's
  llvm::SmallVector<llvm::LoadInst*, 8> loads;
};

/// What a kernel does with memory, where that is only to fill tiles, read them, and read and write what different
/// arguments point to.
struct Accesses {
  llvm::MapVector<llvm::Value*, Tile> tiles; ///< by variable or argument
  llvm::SmallVector<llvm::Instruction*, 4> barriers;

  /// Whether there is a barrier in each round, in no loop within.
  bool hasBarrierIn(const llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators) const;
};

bool isLocalId(llvm::Value* value, unsigned dimension);
bool isLocalId(const Index& index, unsigned dimension);

/// Nothing for a kernel that does more than that.
std::optional<Accesses> findAccesses(llvm::Function& kernel);

/// Local sizes become constants.
void replaceSizes(llvm::Function& kernel, const LocalSize& size);

/// The bytes from the beginning of the variable or argument that a pointer points into. No sum of what is less than a
/// tile's sides, or than all of its elements, wraps around in 32 bits.
std::optional<AffineForm> offsetInTile(const llvm::Value& pointer, const llvm::DataLayout& layout);

} // namespace clotho::compiler
