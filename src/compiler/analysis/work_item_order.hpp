// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace clotho::compiler {

/// Whether the kernel's results can depend on the order of work-items or on their division into sub-groups: it uses
/// sub-groups, work-group functions, pipe reservations of a group, or printf.
bool knowsOrder(const llvm::Function& kernel);

} // namespace clotho::compiler
