// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Argument.h>

/// What arguments of kernels point to that no other pointer does. To LLVM a call that is not given such a pointer
/// (`noalias`) changes nothing there, and a barrier is such a call: but behind one is what other work-items have stored
/// by way of the same argument. So where a kernel with barriers writes, the fact is kept under another name until the
/// kernel has been divided at them.
namespace clotho::compiler {

/// `isHeldBack`: LLVM is not to see it yet.
void setApart(llvm::Argument& argument, bool isHeldBack);
bool isApart(const llvm::Argument& argument);

/// Whether memory may be written by way of the pointer.
bool isWritten(const llvm::Argument& pointer);

} // namespace clotho::compiler
