// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Of kernels whose images have known formats (kImageFormat in ir/marks.hpp): what is loaded of such a format becomes a
/// constant.
/// Needs: arguments in registers, and that what reads and writes images is inlined.
struct FoldImageFormatsPass : llvm::PassInfoMixin<FoldImageFormatsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

} // namespace clotho::compiler
