// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class MachineFunctionPass;
}

namespace clotho::compiler {

/// Replaces LLVM's peephole pass for comparisons: a subtraction of which only the flags are used becomes a comparison,
/// which needs no register; a comparison whose flags are available already is removed.
/// Needs: machine code in SSA form, where the peephole pass would run.
llvm::MachineFunctionPass* createComparePass();

} // namespace clotho::compiler
