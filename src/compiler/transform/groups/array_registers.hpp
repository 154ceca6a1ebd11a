// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/known_accesses.hpp"

#include <llvm/IR/Dominators.h>

namespace clotho::compiler {

/// Keeps a local array in registers. The array is divided into register-sized chunks. Within a block, each lane of a
/// chunk is known as a lane of some vector. So stores emit no instructions but record the new contents, and loads are
/// shuffles of stored vectors. Replaces and erases all accesses.
void keepInRegisters(llvm::Argument& array, KnownAccesses accesses, unsigned registerBytes, llvm::DominatorTree& tree);

} // namespace clotho::compiler
