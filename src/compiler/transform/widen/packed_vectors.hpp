// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/transform/widen/private_arrays.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>

namespace clotho::compiler {

/// Selects the vector values that the sub-group function keeps in memory order: all elements of lane 0, then all of
/// lane 1. Elementwise operations work in this order too, and contiguous loads and stores need no transposition into
/// one vector for each element. If there are fewer lanes than a vector has, memory order fills vectors. The order is
/// chosen for values that flow into each other together, by the cost of the shuffles.
class PackedVectors {
 public:
  PackedVectors(const llvm::Function& function, const LaneShapes& shapes, const PrivateArrays& arrays,
                const llvm::LoopInfo& loops, unsigned width, unsigned vectorBits);
  /// Without packed vectors.
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

/// The scalar that a shuffle broadcasts to all elements; null for other shuffles.
llvm::Value* splattedScalar(const llvm::ShuffleVectorInst& shuffle);

} // namespace clotho::compiler
