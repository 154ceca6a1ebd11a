// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class MachineFunctionPass;
}

namespace clotho::compiler {

/// Of LLVM's peephole pass what concerns comparisons: a subtraction of which only the flags are wanted becomes a
/// comparison, which needs no register, and one that finds its flags there already goes away.
/// Needs: machine code in SSA form, where the peephole pass would run.
llvm::MachineFunctionPass* createComparePass();

} // namespace clotho::compiler
