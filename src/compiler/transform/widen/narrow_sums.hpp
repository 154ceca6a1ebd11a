// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace clotho::compiler {

/// Adds up small numbers, of which a block adds several to a wider one, in as few bits as their sum needs:
///   count + (a[0] == 'e') + ... + (a[31] == 'e')      the 32 comparisons as bytes, then to an int
/// so that vectors have as many times more lanes. Integers alone: the result is the same. Returns whether anything
/// changed.
bool narrowSums(llvm::Function& function);

} // namespace clotho::compiler
