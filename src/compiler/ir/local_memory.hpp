// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>
#include <vector>

namespace clotho::compiler {

/// The local variables of a kernel and where each lies in a work-group's local memory.
struct LocalMemory {
  struct Variable {
    llvm::GlobalVariable* variable;
    std::uint64_t offset;
    llvm::Align align;
  };
  std::vector<Variable> variables;
  std::uint64_t bytes = 0;
};

/// Lays out the local memory that a kernel shares with its variants. Changes these functions such that their
/// instructions name local variables directly, not inside constant expressions.
LocalMemory layoutLocalMemory(llvm::ArrayRef<llvm::Function*> functions);

/// Whether the access is to local memory, which only the thread that runs the work-group sees.
bool isLocalAccess(const llvm::Instruction& loadOrStore);

/// Whether lanes make the access one after the other: atomics, and volatile accesses whose order others may see. All
/// lanes of a sub-group make volatile accesses of local memory at once: programs write them if they rely on work-items
/// running in lockstep.
bool isLaneAfterLane(const llvm::Instruction& loadOrStore);

} // namespace clotho::compiler
