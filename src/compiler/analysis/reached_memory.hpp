// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace clotho::compiler {

/// Whether all that the kernel reads and writes is constants, its own variables, and what its arguments point to, each
/// access by one argument: it loads no pointers, makes none of integers, and has no variables of the program in global
/// memory, whose addresses programs can find out and pass on.
bool reachesArgumentsAlone(const llvm::Function& kernel);

} // namespace clotho::compiler
