// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class PassBuilder;
class PassInstrumentationCallbacks;
} // namespace llvm

namespace clotho::compiler {

/// Lets the builder's textual pipelines name the passes of passes.def and the analyses of analysis/analyses.def, and
/// registers these with the managers that the builder fills afterwards.
void registerPasses(llvm::PassBuilder& builder);

/// Lets instrumentation know our passes by their names in passes.def, as it knows LLVM's.
void namePasses(llvm::PassInstrumentationCallbacks& callbacks);

} // namespace clotho::compiler
