// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/kernels.hpp"

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>

namespace clotho::compiler {

/// The sum one * factor + other.
struct SumOfTwo {
  llvm::Value& one;
  std::uint64_t factor;
  llvm::Value& other;
};

/// Replaces `sum` by `by` inside larger sums that contain both terms, in any form. `by` is available wherever both
/// terms are.
void replaceSums(llvm::Function& function, const SumOfTwo& sum, llvm::Value& by);

/// Replaces local sizes by constants.
void replaceSizes(llvm::Function& kernel, const LocalSize& size);

/// Rewrites the index of a store such as tile[local id + counter], whose terms advance by constant steps in each
/// iteration: the sum becomes an induction variable of the loop.
void makeIndexInductive(llvm::StoreInst& store);

} // namespace clotho::compiler
