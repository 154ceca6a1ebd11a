// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Computes integer elements of short vectors as scalars, if the vectors consist of scalars: coordinates, as in `int2 p
/// = (int2)(get_global_id(0), get_global_id(1)); ... in[q.y * w + q.x]` with `q = clamp(p + 1, 0, size)`. Analyses know
/// how scalars differ between lanes, but not elements. `any` and `all` of a comparison of such vectors become
/// comparisons of scalars. Vectors that are carried around loops and inserted from scalars in each iteration are split,
/// too; SLP vectorisers make them.
/// Needs: functions inlined into kernels, values in registers.
struct ScalariseElementsPass : llvm::PassInfoMixin<ScalariseElementsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
