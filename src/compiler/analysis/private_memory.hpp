// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class AllocaInst;
class BasicBlock;
template <typename T> class ArrayRef;
} // namespace llvm

namespace clotho::compiler {

/// Whether what is stored in `memory` before one of the barriers may be read after it. `barrierBlocks` end in
/// barriers. Honours lifetime markers; memory whose address escapes counts as used everywhere.
bool livesAcrossBarrier(const llvm::AllocaInst& memory, llvm::ArrayRef<const llvm::BasicBlock*> barrierBlocks);

/// Whether debuggers show what is in the memory: only unoptimised code has such memory.
bool isShownByDebuggers(const llvm::AllocaInst& memory);

} // namespace clotho::compiler
