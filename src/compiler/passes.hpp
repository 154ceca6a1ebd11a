// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class PassBuilder;
}

namespace clotho::compiler {

/// Lets the builder's textual pipelines name the passes of passes.def.
void registerPasses(llvm::PassBuilder& builder);

} // namespace clotho::compiler
