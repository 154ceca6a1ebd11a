// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace clotho::compiler {

/// Makes truncations followed by extensions of what InstCombine has turned them into: shifts to the left and back, and
/// masks of the low half. In that form neighbours in neighbouring lanes are seen to be neighbours. And the other way
/// round where no address depends on it: of a number that is truncated, shifted and extended again to the width that it
/// had, makes a shift and a mask. A complement in an address becomes a difference. Needs: nothing.  Gives: the same
/// values.
bool restoreExtensions(llvm::Function& function);

} // namespace clotho::compiler
