// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/analysis/processor_model.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <optional>

namespace llvm {
class TargetTransformInfo;
} // namespace llvm

namespace clotho::compiler {

/// A vector that fills the processor's where `lanes` work-items have one each.
bool isFullVector(const llvm::Instruction& instruction, const ProcessorModel& cpu, unsigned lanes);

/// A kernel with what is known of its loops.
struct LoopedKernel {
  const llvm::Function& function;
  const llvm::LoopInfo& loops;
  const llvm::DominatorTree& dominators;
};

/// Whether what a kernel computes in each round of its loops are for the most part vectors of each work-item that fill
/// the processor's.
bool computesFullVectors(const LoopedKernel& kernel, const LaneShapes& shapes, const ProcessorModel& cpu);

struct OwnWidth {
  unsigned width;
  bool isClear; ///< nothing else is worth trying
};

/// As many work-items of such a kernel as keep the processor's pipes busy, if it computes its vectors in long rows of
/// instructions, as ciphers and hashes do. One, where most of them do not wait for each other, or registers are too few
/// for two; more, where they wait, since no processor looks so far ahead that it could begin the next round or
/// work-item.
std::optional<OwnWidth> widthByOwnVectors(const LoopedKernel& kernel, const LaneShapes& shapes,
                                          const llvm::TargetTransformInfo& costs, const ProcessorModel& cpu);

} // namespace clotho::compiler
