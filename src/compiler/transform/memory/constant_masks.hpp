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

/// Makes masked stores of one known lane scalar. Instruction selection of LLVM 22 stores the whole of a wider element
/// that such a store truncates (docs/llvm.md). After all passes that make masks constant.
class SingleLaneStoresPass : public llvm::PassInfoMixin<SingleLaneStoresPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
