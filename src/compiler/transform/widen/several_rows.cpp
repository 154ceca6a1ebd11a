// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/several_rows.hpp"

#include "compiler/analysis/register_pressure.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/variants.hpp"
#include "compiler/transform/widen/jam_rows.hpp"
#include "compiler/transform/widen/specialise.hpp"

#include <llvm/ADT/bit.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <utility>

namespace clotho::compiler {
namespace {

/// Lines that stay in the second-level cache even if they are a large power of two apart and so share few of its sets.
constexpr std::uint32_t kMergedLines = 128, kLeastMergedRow = 16;
constexpr unsigned kLineBytes = 64, kMostMergedRows = 16;

class RowChooser {
 public:
  RowChooser(llvm::Function& kernel, const llvm::Function& widened, llvm::FunctionAnalysisManager& analyses,
             WideningSources& sources, const VectoriseOptions& options, bool hasEdges)
      : kernel_(kernel), widened_(widened), analyses_(analyses), sources_(sources), options_(options),
        hasEdges_(hasEdges) {}

  std::optional<SeveralRows> choose() {
    std::optional<SeveralRows> chosen = prepare(2);
    if (!chosen) return std::nullopt;
    chosen->rowFallback->setName(""); // A variant of more rows may take the name.
    if (chosen->mergedBytes != 0)
      fillLines(*chosen);
    else
      shareAmongMore(*chosen);
    return chosen;
  }

 private:
  /// Jams more than two rows that share loads, if that is better.
  void shareAmongMore(SeveralRows& chosen) {
    const auto size = factsOf(kernel_).directSize;
    const bool knowsRows = size && (*size)[1] % 8 == 0;
    for (const unsigned count : {4U, 8U}) {
      if (count == 8 && !knowsRows) break; // many work-groups have no more than four
      std::optional<SeveralRows> more = prepare(count);
      if (!more) break;
      // With more rows, savings are lost with the first spilled value, and if few rows run together.
      const unsigned registers = more->choice.registers + sharedOperands(more->source->function, more->source->shapes,
                                                                         more->source->flow.loops());
      const bool isBetter =
          registers <= options_.cpu.registers && 100 * more->work * chosen.count <= 93 * chosen.work * count;
      if (isBetter) {
        std::swap(chosen, *more);
        chosen.rowFallback->setName("");
      }
      discard(*more, sources_);
      if (!isBetter) break;
    }
  }

  /// Jams as many rows with adjacent data as fill a cache line, or as many as possible.
  void fillLines(SeveralRows& chosen) {
    const auto size = factsOf(kernel_).directSize;
    const unsigned most = size ? std::clamp<unsigned>((*size)[1], chosen.count, kMostMergedRows) : kMostMergedRows;
    const unsigned wanted = std::clamp(kLineBytes * chosen.count / chosen.mergedBytes, chosen.count, most);
    for (unsigned count = llvm::bit_floor(wanted); count > chosen.count; count /= 2) {
      std::optional<SeveralRows> more = prepare(count);
      if (!more) continue;
      if (more->mergedBytes != 0) {
        std::swap(chosen, *more);
        chosen.rowFallback->setName("");
      }
      discard(*more, sources_);
    }
  }

  std::optional<SeveralRows> prepare(unsigned count) {
    const unsigned mostRegisters = options_.cpu.registers - 2; // the rest hold constants
    if (const auto size = requiredSize(kernel_, 1); size && *size < count) return std::nullopt;
    auto jam = jamRows(kernel_, count, analyses_);
    if (!jam) return std::nullopt;
    sources_.add(jam->assumes);
    sources_.prepare(*jam->function);
    auto source = sources_.lookAt(*jam->function);
    llvm::Function* special =
        source->isConsistent() ? specialise(*jam, widened_.getName(), source->shapes, source->flow) : nullptr;
    source.reset();
    sources_.erase(*jam->function);
    if (special == nullptr) return std::nullopt;
    sources_.simplify(*special);
    sources_.prepare(*special);
    SeveralRows rows{count,
                     sources_.lookAt(*special),
                     {},
                     findVariant(widened_, Variant::RowFallback),
                     0,
                     jam->mergedBytes,
                     jam->mergedAccesses};
    sources_.bringTogether(rows.source);
    auto& evolution = analyses_.getResult<llvm::ScalarEvolutionAnalysis>(*special);
    const LaneShapes& shapes = rows.source->shapes;
    rows.choice = chooseWidth(*special, shapes, rows.source->flow, options_.cpu, &evolution,
                              {options_.width, count, hasEdges_, rows.mergedBytes != 0});
    rows.work = llvm::count_if(llvm::instructions(*special), [&](const llvm::Instruction& instruction) {
      return shapes.of(&instruction).isVarying() && !instruction.getType()->isPointerTy() &&
             !llvm::isa<llvm::PHINode>(instruction);
    });
    // Data that is moved once may be spilled: that costs less than using only part of a cache line.
    const bool isMovedOnce = rows.mergedBytes != 0 && isRowLoopOnly(rows.source->flow);
    if (rows.source->isConsistent() && (isMovedOnce || rows.choice.registers <= mostRegisters)) return rows;
    discard(rows, sources_);
    return std::nullopt;
  }

  llvm::Function& kernel_;
  const llvm::Function& widened_;
  llvm::FunctionAnalysisManager& analyses_;
  WideningSources& sources_;
  const VectoriseOptions& options_;
  const bool hasEdges_;
};

} // namespace

std::uint32_t mergedRow(unsigned accesses) { return std::max(kMergedLines / accesses, kLeastMergedRow); }

void discard(SeveralRows& rows, WideningSources& sources) {
  llvm::Function& function = rows.source->function;
  rows.source.reset();
  sources.erase(function);
  if (rows.rowFallback != nullptr) rows.rowFallback->eraseFromParent();
}

std::optional<SeveralRows> chooseRows(llvm::Function& kernel, const llvm::Function& widened,
                                      llvm::FunctionAnalysisManager& analyses, WideningSources& sources,
                                      const VectoriseOptions& options, bool hasEdges) {
  return RowChooser(kernel, widened, analyses, sources, options, hasEdges).choose();
}

} // namespace clotho::compiler
