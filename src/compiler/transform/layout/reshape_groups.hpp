// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Lets a version for one local size (kNoOffset) count its work-items by another, of as many in the same order, where
/// its own rows are too short for lanes, or where it divides ids to make several rows of one. KernelFacts::shape tells
/// the device, which counts a launch so. Kernels in which the order of work-items matters stay as they are.
/// Needs: functions inlined into kernels, values in registers, no remainder variants yet.
struct ReshapeGroupsPass : llvm::PassInfoMixin<ReshapeGroupsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
