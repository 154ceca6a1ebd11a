// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace clotho::compiler {

/// Copies blocks, with names that end in `suffix`. `map` has replacements for values of the originals, and gets the
/// copies. Phis are copied as they are.
llvm::SmallVector<llvm::BasicBlock*, 8> copyBlocks(llvm::ArrayRef<llvm::BasicBlock*> blocks, const char* suffix,
                                                   llvm::ValueToValueMapTy& map);

/// Copies blocks whose only successor outside is `meeting`, and adds the copies' values to its phis. `map` has
/// replacements for values of the originals, and gets the copies.
void copyBlocks(const llvm::SetVector<llvm::BasicBlock*>& blocks, llvm::BasicBlock& meeting,
                llvm::ValueToValueMapTy& map);

} // namespace clotho::compiler
