// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace clotho::compiler {

/// Makes of each switch of few cases one branch for each block that it goes to, one after the other, on whether the
/// number is one of that block's cases. Lanes that part go through all comparisons however they are arranged, and a
/// search tree, which llvm::LowerSwitchPass makes of the others, has more of them.
void lowerSmallSwitches(llvm::Function& function);

} // namespace clotho::compiler
