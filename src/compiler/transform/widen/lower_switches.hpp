// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace clotho::compiler {

/// Lowers each switch with few cases to a sequence of branches, one for each successor, on whether the value is one of
/// its cases. Divergent lanes run all comparisons in any arrangement, and the search tree of llvm::LowerSwitchPass,
/// which lowers the others, has more of them.
void lowerSmallSwitches(llvm::Function& function);

} // namespace clotho::compiler
