// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringRef.h>

#include <vector>

namespace llvm {
class PassBuilder;
class PassInstrumentationCallbacks;
} // namespace llvm

namespace clotho::compiler {

/// Lets the builder's textual pipelines name the passes of passes.def and the analyses of analysis/analyses.def, and
/// registers these with the managers that the builder fills afterwards.
void registerPasses(llvm::PassBuilder& builder);

/// Whether there is a pass or a step of that name that textual pipelines do not know, as it runs in builds only.
bool isNamedPart(llvm::StringRef name);

/// Whether a pass of passes.def is needed for right code, so that it runs whatever callbacks say.
bool isRequiredPass(llvm::StringRef name);

/// Our passes and steps that may be left out.
std::vector<llvm::StringRef> skippablePasses();

/// Lets instrumentation know our passes by their names in passes.def, as it knows LLVM's.
void namePasses(llvm::PassInstrumentationCallbacks& callbacks);

} // namespace clotho::compiler
