// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
}

namespace clotho::compiler {

/// Removes address spaces from debug locations: clang adds an operation (DW_OP_xderef) that debuggers of CPUs do not
/// know and that has no meaning in flat memory.
void flattenDebugLocations(llvm::Module& module);

} // namespace clotho::compiler
