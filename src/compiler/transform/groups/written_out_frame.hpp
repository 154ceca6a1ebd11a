// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace clotho::compiler {

/// Forwards constants through the frame, in which work-items keep values across barriers, once loops over sub-groups
/// are written out. What they compute by ids alone is constant then: loads of it become the constants, and stores that
/// are not read go. Needs: a function that runs a work-group from its beginning to its end, which is as long as the
/// frame lasts.
void forwardConstants(llvm::Argument& frame, const llvm::DominatorTree& tree);

/// Makes the frame a variable of such a function, which goes to registers, where all that accesses it is written out.
void makeFrameOwn(llvm::Argument& frame);

} // namespace clotho::compiler
