// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringSet.h>

namespace llvm {
class MachineFunctionPass;
} // namespace llvm

namespace clotho::compiler {

/// A pass in code generation that finds functions whose instructions are better left in the order of the source, and
/// adds them to `functions` as LLVM's OptPassGate describes them: they have a block that is longer than the processor's
/// reorder buffer, and no block needs more vector registers than there are. LLVM's scheduler moves loads far ahead in
/// such blocks, and their values are spilled, while the processor itself finds what is independent nearby. Needs: live
/// intervals.  Changes nothing.
llvm::MachineFunctionPass* createSourceOrderPass(llvm::StringSet<>& functions);

} // namespace clotho::compiler
