// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/transform/groups/range_function.hpp"

#include <llvm/IR/PassManager.h>

#include <optional>

namespace clotho::compiler {

std::uint64_t subGroupsOf(const KernelParts& parts, const LocalSize& size);

/// Whether it is worth while to run work-groups of the size as a whole, and right: there is a loop with barriers around
/// which each work-item keeps something, all that fits into registers, and sub-groups need not run in an order.
bool mayRunWhole(const KernelParts& parts, const LocalSize& size);

/// A local size for which that is so, and for which the kernel looks made by the shape of its local arrays
/// (`local float tile[16][16]`).
std::optional<LocalSize> suggestedLocalSize(const KernelParts& parts);

/// Runs the sub-groups of such a work-group side by side, instruction by instruction, where a region is a loop over
/// them of one block. What a sub-group keeps across barriers then is a register, and sums that each have to wait for
/// themselves do not wait for each other. Two work-items that access the same memory between two barriers, one of them
/// writing, are a race; so only private memory and what is atomic, or was, speaks against it: a block that reads an
/// array which it changes is left alone.
/// Needs: the frame's addresses made of the loops' counters; loops of one round are gone.  Gives: blocks instead of
/// these loops, constant places in the frame.
struct UnrollSubGroupsPass : llvm::PassInfoMixin<UnrollSubGroupsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
