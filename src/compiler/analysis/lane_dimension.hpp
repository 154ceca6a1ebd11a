// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Along which dimension lanes would do best: 0, unless it is clear that another is better. It is, where the kernel's
/// loads and stores, weighted by their depth in loops, cost half as much there for each work-item; and where
/// there is one work-item along dimension 0: none can be told from another, or several would store to one place.
/// An estimate, which no result may depend on: ways that lanes take apart count like those that they take together, and
/// an index that wraps around counts by the stride that it has elsewhere.
/// Needs: functions inlined into kernels, values in registers.
unsigned chooseLaneDimension(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
