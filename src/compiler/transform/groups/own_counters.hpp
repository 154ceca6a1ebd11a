// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/groups/range_function.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

namespace clotho::compiler {

/// A thread's private counters, which replace a buffer while the thread runs a range of work-groups
/// (transform/memory/privatise_counters.hpp).
struct OwnCounters {
  llvm::IntegerType* type; ///< type of a counter
  llvm::AllocaInst* own;   ///< all copies, one after the other
  llvm::Value* bytes;      ///< size of a copy; 0 if the launch does not use private copies
  llvm::Value* shared;     ///< the buffer
};

/// Clears the copies. The first one replaces the buffer among the arguments of group functions, unless the launch runs
/// the exact variant.
OwnCounters beginCounters(llvm::IRBuilder<>& builder, llvm::Value* launch, const KernelParts& parts,
                          llvm::Value* isExact, llvm::SmallVectorImpl<llvm::Value*>& arguments);

/// Adds the thread's counters to the buffer. Ends in a block of its own.
void endCounters(llvm::IRBuilder<>& builder, const OwnCounters& counters);

} // namespace clotho::compiler
