// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

#include <memory>

namespace llvm {
class BasicBlock;
class Instruction;
class Value;
} // namespace llvm

namespace clotho::compiler {

/// The work-items among which a value is to be the same.
enum class UniformityScope {
  WorkGroup,
  Warp,     ///< those of a sub-group of a GPU, which lie along all dimensions
  SubGroup, ///< the lanes of one vector, neighbours along one dimension: what they read from one address is one value
};

/// Values of a kernel that are the same for all work-items of a work-group or sub-group, by LLVM's uniformity analysis.
/// Local ids and private memory are divergent; arguments and all other work-item functions are uniform. In a
/// work-group, values read from memory that other work-items may write count as divergent. The result refers to the
/// function and is invalid after any change to it.
class WorkItemUniformity {
 public:
  /// `dimension`: the dimension along which lanes lie.
  explicit WorkItemUniformity(llvm::Function& kernel, UniformityScope scope = UniformityScope::WorkGroup,
                              unsigned dimension = 0);
  WorkItemUniformity(WorkItemUniformity&&) noexcept;
  ~WorkItemUniformity();

  /// Whether the value is the same for all work-items that compute it, and at all uses.
  bool isUniform(const llvm::Instruction& instruction) const;
  /// Overload for any value of a kernel; only instructions can differ between work-items.
  bool isUniform(const llvm::Value* value) const;
  /// Whether the value is the same for all work-items that compute it. If they left a loop in different iterations, it
  /// may still differ at uses after the loop.
  bool isUniformValue(const llvm::Instruction& instruction) const;
  bool hasDivergentBranch(const llvm::BasicBlock& block) const;

 private:
  struct Data; // It cannot be moved: its parts point to each other.
  std::unique_ptr<Data> data_;
};

/// Uniformity of a function's values among the work-items of a work-group.
class WorkGroupUniformityAnalysis : public llvm::AnalysisInfoMixin<WorkGroupUniformityAnalysis> {
 public:
  using Result = WorkItemUniformity;
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager&) { return Result(function); }

 private:
  friend llvm::AnalysisInfoMixin<WorkGroupUniformityAnalysis>;
  static llvm::AnalysisKey Key;
};

/// Uniformity of a function's values among the lanes of a sub-group.
class SubGroupUniformityAnalysis : public llvm::AnalysisInfoMixin<SubGroupUniformityAnalysis> {
 public:
  using Result = WorkItemUniformity;
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    return Result(function, UniformityScope::SubGroup);
  }

 private:
  friend llvm::AnalysisInfoMixin<SubGroupUniformityAnalysis>;
  static llvm::AnalysisKey Key;
};

} // namespace clotho::compiler
