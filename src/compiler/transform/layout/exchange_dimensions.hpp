// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Exchanges dimension 0, along which lanes lie, with another one if that is clearly better
/// (analysis/lane_dimension.hpp). KernelFacts::laneDimension tells the device, which exchanges the dimensions of each
/// launch. Kernels in which the order of work-items matters stay as they are: those that use sub-groups, work-group
/// functions, pipe reservations of a group, or printf.
/// Needs: functions inlined into kernels, values in registers, no remainder variants yet.
struct ExchangeDimensionsPass : llvm::PassInfoMixin<ExchangeDimensionsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
