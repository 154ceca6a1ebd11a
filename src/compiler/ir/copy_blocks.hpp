// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace clotho::compiler {

/// Copies blocks from which only `meeting` is reached, whose phis get what the copies bring. `map` has what stands for
/// values of the originals, and gets what the copies are made of.
void copyBlocks(const llvm::SetVector<llvm::BasicBlock*>& blocks, llvm::BasicBlock& meeting,
                llvm::ValueToValueMapTy& map);

} // namespace clotho::compiler
