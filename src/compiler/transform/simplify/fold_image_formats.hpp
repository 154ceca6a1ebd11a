// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes constants of what kernels load of the formats of their images, if these are known (kImageFormat in
/// ir/marks.hpp).
/// Needs: arguments in registers, and that what reads and writes images is inlined.
struct FoldImageFormatsPass : llvm::PassInfoMixin<FoldImageFormatsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

} // namespace clotho::compiler
