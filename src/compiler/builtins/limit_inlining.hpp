// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace clotho::compiler {

/// Limits the inlining of long builtins. Inlined, they are widened with the kernel, but a kernel with hundreds of such
/// calls would take minutes to compile. Each kernel gets a budget of instructions, which calls in the deepest loops use
/// first. The other calls are marked noinline, and their callees get vector variants: library functions for vectors of
/// 4, 8 and 16 elements, which the widener calls instead. Functions that are not elementwise (normalize) have a
/// separate budget, and are called for one lane at a time beyond it.
/// `defines` tells which functions the library has.
/// Needs: builtins linked, nothing inlined yet.  Gives: whether variants were declared, which must be linked then.
bool limitInlining(llvm::Module& module, llvm::function_ref<bool(llvm::StringRef)> defines);

/// Limits the inlining of image accesses in kernels whose formats are unknown: only accesses in loops get a budget. The
/// others stay calls, for one lane at a time: launches soon run a version for their formats, in which all accesses are
/// short (runtime/versions/specialised_kernel.hpp). With 25 reads, inlining eight made a build of 40 ms one of 400, and
/// the first launch at most 1.8 times as fast.
void limitImages(llvm::Module& module);

/// The variant of the callee for `lanes` lanes; null if there is none.
llvm::Function* vectorVariant(const llvm::CallBase& call, unsigned lanes);
/// Whether the callee has a variant for the smallest number of lanes; it then has those for more, too.
bool hasVectorVariant(const llvm::CallBase& call);

/// Removes variants without users. Until the widener has run, only a list keeps them alive.
void forgetUnusedVariants(llvm::Module& module);

} // namespace clotho::compiler
