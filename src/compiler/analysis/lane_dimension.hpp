// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// The dimension along which lanes should lie: 0, unless another one is clearly better. Another one is better if the
/// kernel's loads and stores, weighted by loop depth, cost half as much there for each work-item, or if dimension 0 has
/// only one work-item: ids do not depend on it, or several work-items would store to one address. This is only an
/// estimate, and no result may depend on it: divergent paths count like uniform ones, and an index that wraps around
/// counts with its usual stride.
/// Needs: functions inlined into kernels, values in registers.
unsigned chooseLaneDimension(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
