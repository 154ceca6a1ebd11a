// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

#include <llvm/ADT/DenseMap.h>

namespace llvm {
class ScalarEvolution;
class StoreInst;
} // namespace llvm

namespace clotho::compiler {

/// Stores by which each work-item writes a row of its own, with the bytes by which the address advances in each
/// iteration of the innermost loop. Widened, they write as many streams of lines as there are lanes.
using RowStores = llvm::DenseMap<const llvm::StoreInst*, unsigned>;

/// Finds such stores in a kernel before it is widened, if their steps are shorter than a cache line.
RowStores findRowStores(llvm::Function& kernel, const llvm::LoopInfo& loops, const LaneShapes& shapes,
                        llvm::ScalarEvolution& evolution);

} // namespace clotho::compiler
