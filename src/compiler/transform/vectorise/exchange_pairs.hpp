// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Instructions.h>

namespace clotho::compiler {

/// Lanes ask whether they are the first, or the second, of two that are partners in one sub-group.
struct LanePair {
  llvm::ICmpInst* isAsked;
  llvm::CmpInst::Predicate asks; ///< of the partner's lane and the own lane
  llvm::Value* lane;             ///< the number
  llvm::Value *own, *partner;    ///< indices
  llvm::ConstantInt* stride;     ///< the partner's lane is lane ^ stride
};

/// Makes both lanes of a pair do what one of them does, if that one reads and writes the elements of both: all together
/// load a row once, and each stores its own element. Needs: all lanes reach the question together. What other branches
/// say is checked here.
void exchangePairs(llvm::Function& function, llvm::ArrayRef<LanePair> pairs);

} // namespace clotho::compiler
