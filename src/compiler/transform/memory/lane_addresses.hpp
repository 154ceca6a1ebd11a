// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Gathers and scatters of lanes that are known distances apart become scalar accesses beside one address, where the
/// processor has no such instructions: what takes their place otherwise computes addresses in vectors and takes these
/// apart again. After all passes that look for gathers or would change addresses.
class LaneAddressesPass : public llvm::PassInfoMixin<LaneAddressesPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
