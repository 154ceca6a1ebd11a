// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class DominatorTree;
class Instruction;
class Loop;
class LoopInfo;
class Value;
} // namespace llvm

namespace clotho::compiler {

/// Whether the loop ends within two iterations if no other work-item writes meanwhile: each iteration that does not
/// leave the loop has an exchange that failed although it expected what memory held. Another work-item's exchange has
/// then succeeded, so the loop waits for nothing. Inner loops are not considered.
bool endsWithoutOthers(const llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators);

/// The memory in which the loop searches for a free element, as insertion into a hash table does; null for other loops.
/// Each iteration that does not leave the loop has found an element taken, and the kernel frees none while a work-item
/// may be in the loop. What the loop reads there is therefore the same whether others progress or not. `assumesApart`:
/// elements may be freed if another argument points to the same memory.
const llvm::Value* memoryOfTakenElements(const llvm::Loop& loop, const llvm::LoopInfo& loops,
                                         const llvm::DominatorTree& dominators, bool& assumesApart);

/// Whether the instruction is a call of an outlined compare-exchange loop (kExchangeLoop).
bool isExchangeLoop(const llvm::Instruction& instruction);

} // namespace clotho::compiler
