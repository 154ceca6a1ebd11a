// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>

namespace clotho::compiler {

/// one * factor + other
struct SumOfTwo {
  llvm::Value& one;
  std::uint64_t factor;
  llvm::Value& other;
};

/// In sums that have both in them the part that is `sum` is `by`, however they are written. `by` is known wherever
/// both are.
void replaceSums(llvm::Function& function, const SumOfTwo& sum, llvm::Value& by);

/// tile[local id + round], with a number that goes on by the same step in each round of a loop: the sum becomes a
/// variable of the loop.
void countPlaces(llvm::StoreInst& store);

} // namespace clotho::compiler
