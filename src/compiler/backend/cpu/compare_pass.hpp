// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class MachineFunctionPass;
}

namespace clotho::compiler {

/// Does for comparisons what LLVM's peephole pass does: a subtraction of which only the flags are wanted becomes a
/// comparison, which needs no register, and a comparison that finds its flags there already goes away.
/// Needs: machine code in SSA form, where the peephole pass would run.
llvm::MachineFunctionPass* createComparePass();

} // namespace clotho::compiler
