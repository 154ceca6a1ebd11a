// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace clotho::compiler {

/// Makes truncations followed by extensions of what InstCombine has turned them into: shifts to the left and back, and
/// masks of the low half. In that form neighbours in neighbouring lanes are seen to be neighbours.
/// Needs: nothing.  Gives: the same values.
bool restoreExtensions(llvm::Function& function);

} // namespace clotho::compiler
