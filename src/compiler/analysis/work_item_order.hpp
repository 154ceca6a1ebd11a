// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace clotho::compiler {

/// Whether the kernel can tell in which order work-items are, or how they are divided into sub-groups: it uses those,
/// or work-group functions, pipes by group, or printf.
bool knowsOrder(const llvm::Function& kernel);

} // namespace clotho::compiler
