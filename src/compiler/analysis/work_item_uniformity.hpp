// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/GenericUniformityImpl.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Dominators.h>

#include <optional>

namespace clotho::compiler {

/// Which values of a kernel are the same for all work-items of a work-group. LLVM's analysis, told what OpenCL says:
/// local ids and private memory differ, arguments and all other work-item functions do not, and what is read from
/// memory that anyone may write is not trusted. Refers to the function as it is; compute anew after any change.
class WorkItemUniformity {
 public:
  explicit WorkItemUniformity(llvm::Function& kernel);

  /// The value is the same for all work-items that compute it, and wherever it is used.
  bool isUniform(const llvm::Instruction& instruction) const;
  bool hasDivergentBranch(const llvm::BasicBlock& block) const;

 private:
  llvm::DominatorTree dominators_;
  llvm::CycleInfo cycles_;
  llvm::TargetTransformInfo rules_;
  mutable std::optional<llvm::UniformityInfo> info_; // its queries are not all const
};

} // namespace clotho::compiler
