// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace clotho::compiler {

/// Whether the kernel accesses only constants, its own variables and what its arguments point to, each access through
/// one argument. Such a kernel loads no pointers, makes none of integers, and uses no program-scope variables in global
/// memory, whose addresses programs can pass on.
bool reachesArgumentsAlone(const llvm::Function& kernel);

} // namespace clotho::compiler
