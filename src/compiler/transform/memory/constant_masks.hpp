// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Masked accesses of which it is known which lanes are live. Those of one lane become scalar. Those of a block to
/// places in local memory that one vector holds all access that vector: a vector that lies across others which have
/// just been stored would wait until these are in the cache. After passes that make masks constant
/// (EndSubGroupLoopsPass), before BlendStoresPass.
class ConstantMasksPass : public llvm::PassInfoMixin<ConstantMasksPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
