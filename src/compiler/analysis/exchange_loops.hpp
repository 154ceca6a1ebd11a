// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class DominatorTree;
class Loop;
class LoopInfo;
class Value;
} // namespace llvm

namespace clotho::compiler {

/// Whether the loop ends within two rounds of its own if no other work-item writes meanwhile: each round that goes on
/// has an exchange that failed although it expected what memory held. So another exchange has succeeded, and the loop
/// waits for nothing. Loops inside it are not looked at.
bool endsWithoutOthers(const llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators);

/// The memory in which the loop looks for a place that is free, as an insertion into a hash table does; null for other
/// loops. Each round that goes on has found a place taken, and the kernel frees none while a work-item may be in the
/// loop. So what the loop reads there is the same whether others go on or not. `assumesApart`: places may be given back
/// if another argument is the same memory.
const llvm::Value* memoryOfPlacesTaken(const llvm::Loop& loop, const llvm::LoopInfo& loops,
                                       const llvm::DominatorTree& dominators, bool& assumesApart);

} // namespace clotho::compiler
