// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/copy_blocks.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Value;

llvm::SmallVector<BasicBlock*, 8> copyBlocks(llvm::ArrayRef<BasicBlock*> blocks, const char* suffix,
                                             llvm::ValueToValueMapTy& map) {
  llvm::SmallVector<BasicBlock*, 8> made;
  for (BasicBlock* block : blocks) {
    made.push_back(llvm::CloneBasicBlock(block, map, suffix, block->getParent()));
    map[block] = made.back();
  }
  llvm::remapInstructionsInBlocks(made, map);
  return made;
}

void copyBlocks(const llvm::SetVector<BasicBlock*>& blocks, BasicBlock& meeting, llvm::ValueToValueMapTy& map) {
  copyBlocks(blocks.getArrayRef(), ".stride", map);
  for (llvm::PHINode& phi : meeting.phis())
    for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i)
      if (blocks.contains(phi.getIncomingBlock(i))) {
        Value* value = phi.getIncomingValue(i);
        const auto found = map.find(value);
        phi.addIncoming(found != map.end() ? static_cast<Value*>(found->second) : value,
                        llvm::cast<BasicBlock>(map[phi.getIncomingBlock(i)]));
      }
}

} // namespace clotho::compiler
