// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces the local size in a version for one local size (kNoOffsetName) by a logical one, with as many work-items in
/// the same order, if rows are too short for lanes, or if the kernel divides ids to make several rows of one.
/// KernelFacts::shape tells the device, which launches that size. Kernels in which the order of work-items matters stay
/// as they are.
/// Needs: functions inlined into kernels, values in registers, no remainder variants yet.
struct ReshapeGroupsPass : llvm::PassInfoMixin<ReshapeGroupsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
