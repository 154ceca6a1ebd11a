// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/widen/choose_width.hpp"
#include "compiler/transform/widen/vectorise_kernels.hpp"
#include "compiler/transform/widen/widening_sources.hpp"

#include <memory>
#include <optional>

namespace clotho::compiler {

/// Several rows of a kernel at once, before they are widened.
struct SeveralRows {
  unsigned count;
  std::unique_ptr<WideningSource> source;
  WidthChoice choice;
  llvm::Function* rowFallback;        ///< what runs those that cannot run at once: only declared
  unsigned work;                      ///< instructions that lanes do not share, of all rows
  unsigned mergedBytes, mergedPieces; ///< as of JammedRows
};

/// Chooses how many rows of a kernel run at once.
class RowChooser {
 public:
  /// `widened`: the kernel's variant for full rows, which runs those that cannot run at once. `hasEdges`: as of
  /// chooseWidth.
  RowChooser(llvm::Function& kernel, const llvm::Function& widened, llvm::FunctionAnalysisManager& analyses,
             WideningSources& sources, const VectoriseOptions& options, bool hasEdges)
      : kernel_(kernel), widened_(widened), analyses_(analyses), sources_(sources), options_(options),
        hasEdges_(hasEdges) {}

  /// Nothing where rows that go together have not less to load, or need more registers than there are. The caller gives
  /// the name to `rowFallback`.
  std::optional<SeveralRows> choose();
  void discard(SeveralRows& rows);

 private:
  std::optional<SeveralRows> prepare(unsigned count);

  /// Takes more than two rows that share what they load, where that is better.
  void shareAmongMore(SeveralRows& chosen);

  /// Takes as many rows that are neighbours in memory as make a line of the caches, or as many as can be.
  void fillLines(SeveralRows& chosen);

  llvm::Function& kernel_;
  const llvm::Function& widened_;
  llvm::FunctionAnalysisManager& analyses_;
  WideningSources& sources_;
  const VectoriseOptions& options_;
  const bool hasEdges_;
};

/// How long the rows of merged work-groups are, at most, in work-items, where each work-item has `pieces` of lines of
/// the caches that it shares with its neighbours along dimension 1.
std::uint32_t mergedRow(unsigned pieces);

} // namespace clotho::compiler
