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

/// Long builtins are inlined wherever they are called, so that they are widened with the kernel; a kernel with hundreds
/// of such calls would take minutes to compile. Here each kernel gets a budget of instructions, which the calls in the
/// deepest loops may use up. The calls for which nothing is left are marked noinline, and what they call gets vector
/// variants: the library's functions for vectors of 4, 8 and 16 elements, by which the widener replaces such calls.
/// Functions that do not work element by element (normalize) have a budget of their own, and are called for one lane
/// after the other beyond it.
/// `defines` tells which functions the library has.
/// Needs: builtins linked, nothing inlined yet.  Gives: whether variants were declared, which have to be linked then.
bool limitInlining(llvm::Module& module, llvm::function_ref<bool(llvm::StringRef)> defines);

/// Reads and writes of images get a budget in loops only, in kernels whose formats are not known. Other
/// calls of a kernel with many stay calls, one lane after the other: soon the kernel gets a version for the formats
/// that launches use, in which all are short (runtime/versions/specialised_kernel.hpp). With 25 reads, eight inlined
/// ones made a build of 400 ms of one of 40 and the first launch at most 1.8 times as fast.
void limitImages(llvm::Module& module);

/// The variant of what is called for so many lanes; null if there is none.
llvm::Function* vectorVariant(const llvm::CallBase& call, unsigned lanes);
/// Whether there is one for the least number of lanes: those for more are found, too, then.
bool hasVectorVariant(const llvm::CallBase& call);

/// Until the widener has run, variants have no user but a list; afterwards those that still have none go away.
void forgetUnusedVariants(llvm::Module& module);

} // namespace clotho::compiler
