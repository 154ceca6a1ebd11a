// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace clotho::compiler {

/// What work-items keep in the frame across barriers, by ids alone, is constants once loops over sub-groups are written
/// out: loads of them become these, and stores that nobody reads go. For functions that run a work-group from its
/// beginning to its end, which is as long as the frame lasts.
void forwardConstants(llvm::Argument& frame, const llvm::DominatorTree& tree);

} // namespace clotho::compiler
