// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
}

namespace clotho::compiler {

/// clang says of each variable's location in which address space it is, as an operation (DW_OP_xderef) that debuggers
/// of CPUs do not know and that means nothing where memory is one. Takes it out.
void flattenDebugLocations(llvm::Module& module);

} // namespace clotho::compiler
