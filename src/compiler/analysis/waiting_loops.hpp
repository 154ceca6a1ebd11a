// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
class LoopInfo;
} // namespace llvm

namespace clotho::compiler {

/// Whether a loop of the kernel may wait for what another work-item does: a branch in it depends on an atomic or
/// volatile read of memory that the kernel also writes elsewhere, as with a lock. The lanes of a sub-group leave such
/// a loop only together, so the one that holds the lock would wait for those that want it.
bool waitsForOthers(const llvm::Function& kernel, const llvm::LoopInfo& loops);

} // namespace clotho::compiler
