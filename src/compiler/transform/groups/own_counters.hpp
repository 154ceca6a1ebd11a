// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/groups/range_function.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

namespace clotho::compiler {

/// What a thread counts by itself while it runs a range of work-groups, in place of a buffer
/// (transform/memory/privatise_counters.hpp).
struct OwnCounters {
  llvm::IntegerType* type; ///< of a counter
  llvm::AllocaInst* own;   ///< all copies, one after the other
  llvm::Value* bytes;      ///< of a copy; 0 where the launch does not count so
  llvm::Value* shared;     ///< the buffer
};

/// Clears the copies, of which the first takes the buffer's place among the arguments of group functions, unless the
/// launch runs the exact variant.
OwnCounters beginCounters(llvm::IRBuilder<>& builder, llvm::Value* launch, const KernelParts& parts,
                          llvm::Value* isExact, llvm::SmallVectorImpl<llvm::Value*>& arguments);

/// Adds what the thread has counted to the buffer. Ends in a block of its own.
void endCounters(llvm::IRBuilder<>& builder, const OwnCounters& counters);

} // namespace clotho::compiler
