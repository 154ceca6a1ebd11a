// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringRef.h>

#include <vector>

namespace llvm {
class PassBuilder;
class PassInstrumentationCallbacks;
} // namespace llvm

namespace clotho::compiler {

/// Registers the passes of passes.def for the builder's textual pipelines, and the analyses of analysis/analyses.def
/// with the managers that the builder fills afterwards.
void registerPasses(llvm::PassBuilder& builder);

/// Whether there is a pass or a step of this name that runs only in builds, so that textual pipelines do not know it.
bool isNamedPart(llvm::StringRef name);

/// Whether a pass of passes.def is needed for correctness, so that pass instrumentation cannot skip it.
bool isRequiredPass(llvm::StringRef name);

/// Passes and steps that may be skipped.
std::vector<llvm::StringRef> skippablePasses();

/// Tells pass instrumentation the names of our passes in passes.def.
void namePasses(llvm::PassInstrumentationCallbacks& callbacks);

} // namespace clotho::compiler
