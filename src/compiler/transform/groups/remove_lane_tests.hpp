// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Argument.h>

namespace clotho::compiler {

/// Removes from the loop branches around blocks that do nothing where no lane is live but access `arrays`, which are to
/// be in registers, where what no lane does costs less than to ask. Blocks become one where they can.
void removeLaneTests(llvm::Loop& loop, llvm::ArrayRef<llvm::Argument*> arrays, llvm::LoopInfo& loops,
                     llvm::DomTreeUpdater& updater);

} // namespace clotho::compiler
