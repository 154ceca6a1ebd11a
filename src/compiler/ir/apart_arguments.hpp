// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Argument.h>

/// The fact that no other pointer leads to what a kernel argument points to. LLVM's `noalias` says more: a call that is
/// not given the pointer changes nothing there. A barrier is such a call, but after it memory holds what other
/// work-items have stored through the same argument. If a kernel with barriers writes through the argument, the fact is
/// therefore kept under another name until the kernel has been divided at its barriers.
namespace clotho::compiler {

/// Marks the argument as disjoint from all other memory. `isHeldBack`: with an attribute of our own instead of
/// `noalias`, so that LLVM does not use the fact yet.
void setApart(llvm::Argument& argument, bool isHeldBack);
bool isApart(const llvm::Argument& argument);

/// Whether memory may be written through the pointer.
bool isWritten(const llvm::Argument& pointer);

} // namespace clotho::compiler
