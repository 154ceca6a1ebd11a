// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/barrier_regions.hpp"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/local_memory.hpp"
#include "compiler/transform/groups/group_frame.hpp"

#include <llvm/IR/Function.h>

#include <optional>

namespace clotho::compiler {

/// A kernel, or a variant of it, on its way to work-group functions.
struct KernelParts {
  llvm::Function& kernel;
  unsigned width;
  unsigned rows; ///< that it runs at once
  LocalMemory local;
  BarrierRegions regions;
  GroupFrame frame;
  /// Behind the frame, if groups may be interleaved (analysis/interleaving.hpp): their function then takes
  /// another i64 after the GroupParameters, and returns one.
  std::optional<std::uint64_t> stateBytes = std::nullopt;
  /// The usual group function is for work-groups of one row only, and the predicated variant's for others: kernels with
  /// barriers that do not ask where along dimensions 1 and 2 a work-item is are hardly ever run with others.
  bool isOneRow = false;
  bool hasBarriers() const { return regions.regions.size() > 1; }
};

/// Functions that run a work-group; null where there is none.
struct GroupFunctions {
  llvm::Function* usual;
  llvm::Function* predicated; ///< for rows that are no multiple of the width; and see KernelParts::isOneRow
  llvm::Function* remainder;  ///< for groups smaller than the enqueued size
  llvm::Function* exact;      ///< for launches of which what the kernel requires does not hold (vectorise_kernels.hpp)
  /// For groups of directSize alone: a local-memory-eliminated kernel's (transform/memory/direct_kernels.hpp), which
  /// may run several groups.
  llvm::Function* direct;
  LocalSize directSize;
};

/// void clotho_wg_K(launch, context, first, end): runs a range of work-groups, each by a call of one of the functions;
/// neighbours along dimension 0 by one call, where the kernel is mergeable (transform/layout/expand_global_ids.hpp) and
/// the launch says how many. Or each by several calls, the others' between them, where groups may be interleaved.
llvm::Function* buildRangeFunction(const KernelParts& parts, const GroupFunctions& functions);

/// The facts, and those attributes that say how to compile the code; those that say what it does change with the code.
void copyAttributes(const llvm::Function& from, llvm::Function& to);

} // namespace clotho::compiler
