// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace clotho::compiler {

/// Forwards constants through the context array once loops over sub-groups are unrolled. Values that work-items compute
/// from ids alone are constants then: their loads are replaced, and stores that are not read are removed.
/// Needs: a function that runs a work-group from its beginning to its end, which is the lifetime of the context array.
void forwardConstants(llvm::Argument& frame, const llvm::DominatorTree& tree);

/// Replaces the context array by a local variable of such a function, which is promoted to registers, if all accesses
/// to it are unrolled.
void makeFrameOwn(llvm::Argument& frame);

} // namespace clotho::compiler
