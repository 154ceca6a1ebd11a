// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Computes integers that are elements of short vectors as scalars, where the vectors are made of scalars: coordinates,
/// as in `int2 p = (int2)(get_global_id(0), get_global_id(1)); ... in[q.y * w + q.x]` with `q = clamp(p + 1, 0, size)`.
/// Analyses know what a scalar is from lane to lane, and nothing of elements. `any` and `all` of a comparison of such
/// vectors are comparisons of scalars, too. So are vectors that go around loops and are made of scalars in each round,
/// as compilers make them that find two sums beside each other. Needs: functions inlined into kernels, values in
/// registers.
struct ScalariseElementsPass : llvm::PassInfoMixin<ScalariseElementsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
