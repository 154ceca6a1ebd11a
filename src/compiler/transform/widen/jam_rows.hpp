// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/kernel_facts.hpp"

#include <llvm/IR/PassManager.h>
#include <llvm/IR/ValueHandle.h>

#include <optional>

namespace clotho::compiler {

/// A kernel whose rows go together.
struct JammedRows {
  /// Values of `function` that are equal where the rows may run so: what they decide, and what they choose.
  struct Requirement {
    llvm::WeakTrackingVH value;
    llvm::WeakTrackingVH equals;
  };
  llvm::Function* function = nullptr;
  unsigned rows = 1;
  llvm::SmallVector<Requirement, 8> requirements;
  /// What lies one behind the other in memory because it is of several rows, while lanes are far apart: the bytes of
  /// the least such piece, and how many there are for each lane. Zeros: none.
  unsigned mergedBytes = 0, mergedPieces = 0;
  LaunchFacts assumes; ///< on which that depends
};

/// Makes a copy of a kernel that runs `rows` work-items, neighbours along dimension 1: what depends on get_local_id(1)
/// is there once for each, next to each other, all else once for all. Work-items of different rows are in no order, so
/// what one loads another need not load again. They take one way; the requirements say when they would anyhow.
/// Needs: no barriers.  Gives: nothing when the kernel does more than compute, load and store, when rows are not what
/// it differs by, or when too little would be shared. Short loops may be written out.
std::optional<JammedRows> jamRows(llvm::Function& kernel, unsigned rows, llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
