// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/kernel_facts.hpp"

#include <llvm/IR/PassManager.h>
#include <llvm/IR/ValueHandle.h>

#include <optional>

namespace clotho::compiler {

/// A kernel after unroll-and-jam over rows.
struct JammedRows {
  /// Values of `function` that must be equal for the rows to run together: branch and select conditions.
  struct Requirement {
    llvm::WeakTrackingVH value;
    llvm::WeakTrackingVH equals;
  };
  llvm::Function* function = nullptr;
  unsigned rows = 1;
  llvm::SmallVector<Requirement, 8> requirements;
  /// Bytes of the smallest access merged from several rows whose lanes are far apart, and the number of such accesses
  /// for each lane. Zeros: none.
  unsigned mergedBytes = 0, mergedAccesses = 0;
  LaunchFacts assumes; ///< facts of the launch on which the code depends
};

/// Unroll-and-jam: clones a kernel so that it runs `rows` work-items, neighbours along dimension 1. Values that depend
/// on get_local_id(1) are computed for each, all others once. Work-items of different rows are unordered, so loads are
/// shared between them. All rows take the same path; the requirements say when that is valid.
/// Needs: no barriers.  Gives: nothing if the kernel does more than compute, load and store, if it does not depend on
/// the row, or if too little would be shared. Short loops may be unrolled.
std::optional<JammedRows> jamRows(llvm::Function& kernel, unsigned rows, llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
