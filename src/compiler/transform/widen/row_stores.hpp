// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

#include <llvm/ADT/DenseMap.h>

namespace llvm {
class ScalarEvolution;
class StoreInst;
} // namespace llvm

namespace clotho::compiler {

/// How many bytes further than in the round before a store writes in each round of its innermost loop, of stores by
/// which each work-item walks along a row of its own. Lanes then write as many streams of lines as there are lanes.
using RowStores = llvm::DenseMap<const llvm::StoreInst*, unsigned>;

/// Those of a kernel, before it is widened, whose steps are shorter than a line.
RowStores findRowStores(llvm::Function& kernel, const llvm::LoopInfo& loops, const LaneShapes& shapes,
                        llvm::ScalarEvolution& evolution);

} // namespace clotho::compiler
