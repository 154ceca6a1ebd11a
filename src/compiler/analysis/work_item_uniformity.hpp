// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/GenericUniformityImpl.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Dominators.h>

#include <optional>

namespace clotho::compiler {

/// Among whom a value is to be the same.
enum class UniformityScope {
  WorkGroup,
  SubGroup, ///< the lanes of one vector, neighbours along dimension 0: what they read from one address is one value
};

/// Which values of a kernel are the same for all work-items of a work-group or sub-group. LLVM's analysis, told what
/// OpenCL says: local ids and private memory differ, arguments and all other work-item functions do not, and in a
/// work-group what is read from memory that anyone may write is not trusted. Refers to the function as it is; compute
/// anew after any change.
class WorkItemUniformity {
 public:
  explicit WorkItemUniformity(llvm::Function& kernel, UniformityScope scope = UniformityScope::WorkGroup);

  /// The value is the same for all work-items that compute it, and wherever it is used.
  bool isUniform(const llvm::Instruction& instruction) const;
  /// The same for all that compute it; where they left a loop in different rounds, it may differ among those who use
  /// it.
  bool isUniformValue(const llvm::Instruction& instruction) const;
  bool hasDivergentBranch(const llvm::BasicBlock& block) const;

 private:
  llvm::DominatorTree dominators_;
  llvm::CycleInfo cycles_;
  llvm::TargetTransformInfo rules_;
  mutable std::optional<llvm::UniformityInfo> info_; // its queries are not all const
};

} // namespace clotho::compiler
