// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/transform/widen/private_arrays.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>

namespace clotho::compiler {

/// Which values of vector type the sub-group function keeps in memory order: all of lane 0's elements, then all of
/// lane 1's. Work that is the same for each element needs no more than that, and what is loaded and stored whole is
/// spared being taken apart into a vector for each element and put together again. Where there are fewer lanes than a
/// vector has room for, memory order fills vectors.
/// Values that flow into each other are decided on together, by what either order costs in shuffles.
class PackedVectors {
 public:
  PackedVectors(const llvm::Function& function, const LaneShapes& shapes, const PrivateArrays& arrays,
                const llvm::LoopInfo& loops, unsigned width, unsigned vectorBits);
  /// None at all.
  PackedVectors(const LaneShapes& shapes, const PrivateArrays& arrays) : shapes_(shapes), arrays_(arrays) {}

  bool contains(const llvm::Value* value) const { return packed_.contains(value); }

 private:
  bool canBePacked(const llvm::Instruction& instruction) const;
  bool isLoadedWhole(const llvm::LoadInst& load) const;

  const LaneShapes& shapes_;
  const PrivateArrays& arrays_;
  unsigned width_ = 0;
  llvm::DenseSet<const llvm::Value*> packed_;
};

/// The scalar that a shuffle puts into each element; nothing when it does anything else.
llvm::Value* splattedScalar(const llvm::ShuffleVectorInst& shuffle);

} // namespace clotho::compiler
