// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/analysis/private_arrays.hpp"
#include "compiler/analysis/sub_group_flow.hpp"
#include "compiler/ir/kernel_facts.hpp"

#include <llvm/IR/PassManager.h>

#include <memory>

namespace clotho::compiler {

/// A function to be widened, with its analyses, which are valid until it changes.
struct WideningSource {
  /// `mayAssume`: whether its shapes may depend on facts of the launch.
  WideningSource(llvm::Function& given, llvm::FunctionAnalysisManager& analyses, bool mayAssume);
  bool isConsistent() const { return shapes.areConsistent(function, uniformity); }

  llvm::Function& function;
  const WorkItemUniformity& uniformity;
  const SubGroupFlow& flow;
  const std::unique_ptr<LaneShapes> exact;
  const LaneShapes& shapes;
  PrivateArrays arrays;
  const unsigned blockLanes; ///< 0: lanes that are neighbours are so in memory, or not in blocks
  const std::unique_ptr<LaneShapes> blocks;
};

/// Prepares functions for widening, and collects the facts of the launch on which their sources depend.
class WideningSources {
 public:
  /// `isExact`: the functions belong to an exact variant, which depends on no such facts.
  WideningSources(llvm::FunctionAnalysisManager& analyses, bool isExact) : analyses_(analyses), isExact_(isExact) {}

  /// Brings the function into the form that sources need (SubGroupFormPass).
  void prepare(llvm::Function& function);
  std::unique_ptr<WideningSource> lookAt(llvm::Function& function);

  /// Unrolls strided loads, narrows sums, and merges adjacent accesses of each lane. Each of these steps changes the
  /// function, so its analyses are recomputed.
  void bringTogether(std::unique_ptr<WideningSource>& source);

  void simplify(llvm::Function& function);
  void erase(llvm::Function& function);

  bool isExact() const { return isExact_; }
  const LaunchFacts& facts() const { return facts_; }
  void add(const LaunchFacts& facts) { facts_.add(facts); }
  void assumeArgumentsApart() { facts_.argumentsApart = true; }

 private:
  llvm::FunctionAnalysisManager& analyses_;
  const bool isExact_;
  LaunchFacts facts_;
};

} // namespace clotho::compiler
