// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/kernels.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// How work-groups are cut into sub-groups.
struct SubGroupDivision {
  bool byRows;    ///< each sub-group is part of a row; otherwise of all work-items in one row
  unsigned lanes; ///< at most the size of sub-groups
  bool isMasked;  ///< a sub-group may be short
};

/// For work-groups of one size, and sub-groups of `width` work-items. Work-groups of fewer have no more lanes than they
/// need.
SubGroupDivision divide(const LocalSize& size, unsigned width);

/// The lanes of a linear kernel's sub-groups that are in one row, from each multiple of their number on; 0 if they are
/// too few to be worth it, if there is but one row, or if the size of work-groups is not known.
unsigned blockLanesOf(const llvm::Function& kernel);

/// Gives work-items one id, the linear one, of which they compute the others: lanes that are neighbours by it need not
/// be so in a row. A required size becomes one row of as many work-items (KernelFacts::linearOf).
void makeLinear(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

/// A copy of the kernel that is linear.
llvm::Function* cloneLinear(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
