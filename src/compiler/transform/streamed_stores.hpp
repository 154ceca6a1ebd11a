// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Metadata of a store whose line nobody reads in this launch, as far as can be seen; and of prefetches for such stores
/// and for loads beside them.
inline constexpr const char* kStreamedName = "clotho.streamed";
/// Of kernels and their work-group functions: bits for what is an output, of which streamed stores are, and for what is
/// changed in place, by number among the arguments that are buffers.
inline constexpr const char* kOutputsAttribute = "clotho-outputs";
inline constexpr const char* kChangedAttribute = "clotho-changed";
/// Of kernels and their work-group functions: how much of the caches each work-item takes by storing so, in units of
/// cpu::kStreamUnits a byte. That is the bytes stored; and up to ten sevenths of them where much is read beside, since
/// that takes the place of what is stored before anyone reads it.
inline constexpr const char* kStreamedAttribute = "clotho-streamed";

/// Marks the stores of a kernel that each work-item executes once at most, to global memory, through a pointer argument
/// that the kernel does not load from; none where others may watch memory change, for such stores come in any order.
/// Needs: work-item functions lowered, values in registers. Gives the kernel kStreamedAttribute.
/// And kOutputsAttribute and kChangedAttribute.
struct MarkStreamedStoresPass : llvm::PassInfoMixin<MarkStreamedStoresPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Gives each marked store of a whole vector a second way, past the caches: for launches that fill these
/// (cpu::LaunchParams::streamFrom), where the vector lies in one line. Lines need not be read then before they are
/// written, and what is of use to others stays. Whoever runs the launch ends it with a fence.
/// Marked prefetches for stores are left out then. Where the launch says that its output is wanted in the caches
/// (cpu::LaunchParams::keepsOutput), those for loads are of lines that need not stay there.
/// Needs: work-group functions as they will be emitted, for x86.
struct StreamStoresPass : llvm::PassInfoMixin<StreamStoresPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
