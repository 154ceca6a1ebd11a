// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace clotho::compiler {

/// What work-items keep in the frame across barriers, once loops over sub-groups are written out. What they compute by
/// ids alone is constants then: loads of them become these, and stores that nobody reads go. For functions that run a
/// work-group from its beginning to its end, which is as long as the frame lasts.
void forwardConstants(llvm::Argument& frame, const llvm::DominatorTree& tree);

/// Makes the frame a variable of such a function, which goes to registers, where all that accesses it is written out.
void makeFrameOwn(llvm::Argument& frame);

} // namespace clotho::compiler
