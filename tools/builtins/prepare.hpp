// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/Support/Error.h>

namespace llvm {
class Module;
}

namespace clotho::tools {

/// Makes the linked library ready for programs: producers' attributes go, what the bodies show is inferred, small
/// bodies are marked for inlining, and functions in `own` (which call others) are simplified once here instead of in
/// every program.
void prepare(llvm::Module& module, const llvm::StringSet<>& own);

/// Fails unless the library calls nothing but itself, what the compiler lowers, and intrinsics that become
/// instructions on every CPU.
llvm::Error checkSelfContained(const llvm::Module& module);

} // namespace clotho::tools
