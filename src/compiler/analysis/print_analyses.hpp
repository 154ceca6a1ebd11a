// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/barrier_regions.hpp"
#include "compiler/analysis/footprints.hpp"
#include "compiler/analysis/index_bounds.hpp"
#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/analysis/small_ranges.hpp"
#include "compiler/analysis/sub_group_flow.hpp"
#include "compiler/analysis/value_numbers.hpp"
#include "compiler/analysis/waiting_loops.hpp"
#include "compiler/analysis/work_count.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"

#include <llvm/Support/raw_ostream.h>

namespace clotho::compiler {

/// Prints what an analysis knows of a function: a line for each value, block or region.
void print(llvm::raw_ostream& out, llvm::Function& function, const WorkItemUniformity& uniformity);
void print(llvm::raw_ostream& out, llvm::Function& function, const SubGroupFlow& flow);
void print(llvm::raw_ostream& out, llvm::Function& function, const LaneShapes& shapes);
void print(llvm::raw_ostream& out, llvm::Function& function, const IndexBoundsAnalysis::Result& bounds);
void print(llvm::raw_ostream& out, llvm::Function& function, SmallRanges& ranges);
void print(llvm::raw_ostream& out, llvm::Function& function, ValueNumbers& numbers);
void print(llvm::raw_ostream& out, llvm::Function& function, const BarrierRegions& regions);
void print(llvm::raw_ostream& out, llvm::Function& function, const WaitingLoops& waiting);
void print(llvm::raw_ostream& out, llvm::Function& function, const KernelWork& work);
void print(llvm::raw_ostream& out, llvm::Function& function, const KernelFootprint& footprint);

/// print<name> of an analysis. The function must be in the form that the analysis needs; for the lanes of a sub-group
/// SubGroupFormPass (transform/widen/sub_group_form.hpp) makes it.
template <class Analysis> class PrintAnalysisPass : public llvm::PassInfoMixin<PrintAnalysisPass<Analysis>> {
 public:
  PrintAnalysisPass(const char* name, llvm::raw_ostream& out) : name_(name), out_(out) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    out_ << name_ << " of '" << function.getName() << "':\n";
    print(out_, function, analyses.getResult<Analysis>(function));
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

 private:
  const char* name_;
  llvm::raw_ostream& out_;
};

} // namespace clotho::compiler
