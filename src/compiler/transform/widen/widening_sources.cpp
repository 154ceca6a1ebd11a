// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/widening_sources.hpp"

#include "compiler/ir/run_pass.hpp"
#include "compiler/transform/widen/linear_kernel.hpp"
#include "compiler/transform/widen/merge_accesses.hpp"
#include "compiler/transform/widen/narrow_sums.hpp"
#include "compiler/transform/widen/sub_group_form.hpp"

#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

namespace clotho::compiler {

WideningSource::WideningSource(llvm::Function& given, llvm::FunctionAnalysisManager& analyses, bool mayAssume)
    : function(given), uniformity(analyses.getResult<SubGroupUniformityAnalysis>(given)),
      flow(analyses.getResult<SubGroupFlowAnalysis>(given)),
      exact(mayAssume ? nullptr : std::make_unique<LaneShapes>(given, uniformity, flow, /*mayAssume=*/false)),
      shapes(mayAssume ? analyses.getResult<LaneShapesAnalysis>(given) : *exact), arrays(given),
      blockLanes(blockLanesOf(given)),
      blocks(blockLanes == 0 ? nullptr : std::make_unique<LaneShapes>(given, uniformity, flow, mayAssume, blockLanes)) {
}

void WideningSources::prepare(llvm::Function& function) { runPass(SubGroupFormPass(), function, analyses_); }

std::unique_ptr<WideningSource> WideningSources::lookAt(llvm::Function& function) {
  auto source = std::make_unique<WideningSource>(function, analyses_, /*mayAssume=*/!isExact_);
  facts_.add(source->shapes.facts());
  if (source->blocks != nullptr) facts_.add(source->blocks->facts());
  return source;
}

void WideningSources::bringTogether(std::unique_ptr<WideningSource>& source) {
  llvm::Function& function = source->function;
  const auto again = [&] {
    prepare(function);
    source = lookAt(function);
  };
  const auto step = [&](llvm::StringRef name, auto work) {
    if (Step(name).run(function, analyses_, work)) again();
  };
  step("unroll-strided-loads", [&] { return unrollStridedLoads(function, source->shapes, source->flow, analyses_); });
  step("narrow-sums", [&] { return narrowSums(function); });
  step("merge-accesses", [&] { return mergeAccesses(function, source->shapes, isExact_ ? nullptr : &facts_); });
}

void WideningSources::simplify(llvm::Function& function) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  passes.run(function, analyses_);
}

void WideningSources::erase(llvm::Function& function) {
  analyses_.clear(function, function.getName());
  function.eraseFromParent();
}

} // namespace clotho::compiler
