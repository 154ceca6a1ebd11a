// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

#include <llvm/ADT/ArrayRef.h>

namespace llvm {
class Module;
}

namespace clotho::compiler {

/// Puts an ELF note `.note.clotho` (owner "Clotho", type 1) into the module: u32 ABI version, u32 number of kernels,
/// then their names, each ended by a zero byte.
void addProgramNote(llvm::Module& module, llvm::ArrayRef<BuiltKernel> kernels);

} // namespace clotho::compiler
