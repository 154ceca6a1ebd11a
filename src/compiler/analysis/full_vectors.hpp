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

/// Whether the vectors of `lanes` work-items together fill the processor's.
bool isFullVector(const llvm::Instruction& instruction, const ProcessorModel& cpu, unsigned lanes);

/// A kernel with its loops and dominators.
struct LoopedKernel {
  const llvm::Function& function;
  const llvm::LoopInfo& loops;
  const llvm::DominatorTree& dominators;
};

/// Whether most values in the kernel's loops are vectors of a work-item that fill the processor's.
bool computesFullVectors(const LoopedKernel& kernel, const LaneShapes& shapes, const ProcessorModel& cpu);

struct OwnWidth {
  unsigned width;
  bool isClear; ///< No other width is worth a trial.
};

/// Number of work-items that keep the pipes busy, for kernels that compute full vectors in long blocks, such as ciphers
/// and hashes. One if most operations are independent, or registers do not suffice for two. More if they are dependent,
/// since the next iteration or work-item is too far ahead for out-of-order execution.
std::optional<OwnWidth> widthByOwnVectors(const LoopedKernel& kernel, const LaneShapes& shapes,
                                          const llvm::TargetTransformInfo& costs, const ProcessorModel& cpu);

} // namespace clotho::compiler
