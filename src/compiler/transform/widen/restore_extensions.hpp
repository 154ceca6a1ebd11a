// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace clotho::compiler {

/// Restores extensions that InstCombine has turned into left and right shifts, and masks of the low half, to
/// truncations followed by extensions, which LaneShapes recognises. If no address depends on the value, does the
/// reverse: a number that is truncated, shifted and extended again becomes a shift and a mask. Complements in addresses
/// become differences.
/// Needs: nothing.  Gives: the same values.
bool restoreExtensions(llvm::Function& function);

} // namespace clotho::compiler
