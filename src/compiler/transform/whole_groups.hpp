// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/group_facts.hpp"
#include "compiler/transform/range_function.hpp"

#include <llvm/IR/PassManager.h>

#include <optional>

namespace clotho::compiler {

/// Of functions that run a work-group of few sub-groups and of a size that is known: the number of the kernel's local
/// variables, which are parameters from kFirstOwn on. Their frame is a variable.
inline constexpr const char* kWholeGroupAttribute = "clotho-whole-group";

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
/// array which it changes is left alone. Needs: the frame's addresses made of the loops' counters; loops of one round
/// are gone.
struct UnrollSubGroupsPass : llvm::PassInfoMixin<UnrollSubGroupsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// What such a work-group writes to local memory and reads again as it was written, a vector at a time, needs no
/// memory: such arrays become variables, and these registers. An array of which single elements are read stays, for it
/// is there so that these lie together.
struct KeepTilesPass : llvm::PassInfoMixin<KeepTilesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Stores to the local arrays of such a work-group in halves of a register of 512 bits. Zen 4 passes what it has just
/// stored to smaller loads sooner then: a matrix product takes 4 to 8 % less time.
/// Needs: nothing comes behind that looks at memory.
struct HalveTileStoresPass : llvm::PassInfoMixin<HalveTileStoresPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
