// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
}

namespace clotho::compiler {

/// Replaces float functions by native ones, if these are faster and meet the relaxed limits (OpenCL C 3.0, section 7.4,
/// errors under unsafe optimisations).
void callNativeFunctions(llvm::Module& module);

} // namespace clotho::compiler
