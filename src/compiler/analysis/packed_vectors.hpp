// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/analysis/private_arrays.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>

namespace clotho::compiler {

/// The vector values that the sub-group function keeps in memory order: all elements of lane 0, then all of lane 1.
/// Elementwise operations work in this order too, and contiguous loads and stores need no transposition into one vector
/// for each element. If there are fewer lanes than a vector has, memory order fills vectors.
using PackedVectors = llvm::DenseSet<const llvm::Value*>;

/// Chooses the order for values that flow into each other together, by the cost of the shuffles.
PackedVectors choosePackedVectors(const llvm::Function& function, const LaneShapes& shapes, const PrivateArrays& arrays,
                                  const llvm::LoopInfo& loops, unsigned width, unsigned vectorBits);

/// The scalar that a shuffle broadcasts to all elements; null for other shuffles.
llvm::Value* splattedScalar(const llvm::ShuffleVectorInst& shuffle);

} // namespace clotho::compiler
