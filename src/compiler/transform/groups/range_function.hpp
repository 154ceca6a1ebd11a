// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/barrier_regions.hpp"
#include "compiler/analysis/group_frame.hpp"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/local_memory.hpp"

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
  /// Bytes of state after the context array, if groups may be interleaved (analysis/interleaving.hpp). Their function
  /// then takes another i64 after the GroupParameters, and returns one.
  std::optional<std::uint64_t> stateBytes = std::nullopt;
  /// The usual group function is for work-groups of one row only, and the predicated variant's for others: kernels with
  /// barriers that do not use ids of dimensions 1 and 2 are hardly ever launched with several rows.
  bool isOneRow = false;
  bool hasBarriers() const { return regions.regions.size() > 1; }
};

/// Functions that run a work-group; null if there is none.
struct GroupFunctions {
  llvm::Function* usual;
  llvm::Function* predicated; ///< Runs rows that are no multiple of the width; see also KernelParts::isOneRow
  llvm::Function* remainder;  ///< Runs groups smaller than the enqueued size
  llvm::Function* exact;      ///< Runs launches for which the kernel's assumptions do not hold (vectorise_kernels.hpp)
  /// Runs groups of exactly directSize in a local-memory-eliminated kernel (transform/memory/direct_kernels.hpp),
  /// possibly several at once.
  llvm::Function* direct;
  LocalSize directSize;
};

/// Builds void clotho_wg_K(launch, context, first, end), which runs a range of work-groups, each by a call of one of
/// the functions. If the kernel is mergeable (transform/layout/expand_global_ids.hpp), one call runs as many neighbours
/// along dimension 0 as the launch says. If groups may be interleaved, each is run by several calls, with calls for
/// other groups in between.
llvm::Function* buildRangeFunction(const KernelParts& parts, const GroupFunctions& functions);

/// Copies the facts and the attributes that control compilation; attributes that describe behaviour depend on the code.
void copyAttributes(const llvm::Function& from, llvm::Function& to);

} // namespace clotho::compiler
