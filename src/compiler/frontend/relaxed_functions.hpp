// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
}

namespace clotho::compiler {

/// Calls the native functions of float instead of those whose relaxed limits they keep (OpenCL C 3.0, section 7.4, the
/// errors under unsafe optimisations), where they are faster.
void callNativeFunctions(llvm::Module& module);

} // namespace clotho::compiler
