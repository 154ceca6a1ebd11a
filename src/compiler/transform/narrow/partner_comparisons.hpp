// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Which of two work-items comes first whose numbers differ by an exclusive or with a constant is told by one bit, the
/// highest of the constant: `(l ^ c) > l` is `(l & highest(c)) == 0`. Lanes of such a bit are known when a kernel is
/// widened, while LLVM knows nothing of the comparison.
class PartnerComparisonsPass : public llvm::PassInfoMixin<PartnerComparisonsPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
