// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Along which dimension lanes would do best: 0, unless it is clear that another is better. It is, where the kernel's
/// loads and stores, weighted by their depth in loops, cost half as much there for each work-item; and where no
/// work-item of dimension 0 can be told from another, so that there is one of them.
/// An estimate, which no result may depend on: ways that lanes take apart count like those that they take together, and
/// an index that wraps around counts by the stride that it has elsewhere.
/// Needs: functions inlined into kernels, values in registers.
unsigned chooseLaneDimension(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
