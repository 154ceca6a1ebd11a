// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Lets lanes, which follow dimension 0, follow another where that is clearly better (analysis/lane_dimension.hpp): the
/// kernel's code names the other one 0, and dimension 0 by the other's number. KernelFacts::laneDimension tells the
/// device, which exchanges both of a launch. Kernels in which the order of work-items matters stay as they are: those
/// that use sub-groups, work-group functions, pipes by group, or printf.
/// Needs: functions inlined into kernels, values in registers, no remainder variants yet.
struct ExchangeDimensionsPass : llvm::PassInfoMixin<ExchangeDimensionsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
