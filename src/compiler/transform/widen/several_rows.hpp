// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/choose_width.hpp"
#include "compiler/transform/widen/vectorise_kernels.hpp"
#include "compiler/transform/widen/widening_sources.hpp"

#include <memory>
#include <optional>

namespace clotho::compiler {

/// Several jammed rows of a kernel before they are widened.
struct SeveralRows {
  unsigned count;
  std::unique_ptr<WideningSource> source;
  WidthChoice choice;
  llvm::Function* rowFallback;          ///< declaration of the function that runs rows one by one
  unsigned work;                        ///< varying instructions, of all rows
  unsigned mergedBytes, mergedAccesses; ///< Values of JammedRows
};

/// Chooses how many rows of a kernel are jammed. `widened`: the kernel's variant for full rows, which runs rows that
/// cannot run together. `hasEdges`: as for chooseWidth. Nothing if jammed rows have no fewer loads, or need too many
/// registers. The caller names `rowFallback`.
std::optional<SeveralRows> chooseRows(llvm::Function& kernel, const llvm::Function& widened,
                                      llvm::FunctionAnalysisManager& analyses, WideningSources& sources,
                                      const VectoriseOptions& options, bool hasEdges);

/// Erases the function, and the declaration of the fallback if `rowFallback` is not null.
void discard(SeveralRows& rows, WideningSources& sources);

/// Longest useful row of merged work-groups, in work-items, if each work-item makes `accesses` accesses to parts of
/// cache lines that it shares with its neighbours along dimension 1.
std::uint32_t mergedRow(unsigned accesses);

} // namespace clotho::compiler
