// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces loads of image formats by constants, if the formats are known (kImageFormat in ir/marks.hpp).
/// Needs: arguments in registers, image accesses inlined.
struct FoldImageFormatsPass : llvm::PassInfoMixin<FoldImageFormatsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

} // namespace clotho::compiler
