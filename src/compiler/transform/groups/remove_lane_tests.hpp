// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Argument.h>

namespace clotho::compiler {

/// Removes branches around blocks that, without an active lane, do nothing but access `arrays`, if running the block
/// costs less than the test. `arrays` are those that will be promoted to registers. Merges blocks if possible.
void removeLaneTests(llvm::Loop& loop, llvm::ArrayRef<llvm::Argument*> arrays, llvm::LoopInfo& loops,
                     llvm::DomTreeUpdater& updater);

} // namespace clotho::compiler
