// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Value.h>

namespace clotho::compiler {

/// Ranges of integers (for vectors, of any element), from the instructions that compute them. Loads, arguments and loop
/// phis have the full range. Ranges are computed on demand; do not ask for values that were removed meanwhile.
class SmallRanges {
 public:
  llvm::ConstantRange of(const llvm::Value* value);

  /// Whether the range is within [-2^15, 2^15).
  bool fitsSigned(const llvm::Value* value);
  /// Whether the range is within [0, 2^16).
  bool fitsUnsigned(const llvm::Value* value);

 private:
  llvm::ConstantRange compute(const llvm::Value* value);

  llvm::DenseMap<const llvm::Value*, llvm::ConstantRange> known_;
};

class SmallRangesAnalysis : public llvm::AnalysisInfoMixin<SmallRangesAnalysis> {
 public:
  using Result = SmallRanges;
  static Result run(llvm::Function&, llvm::FunctionAnalysisManager&) { return {}; }

 private:
  friend llvm::AnalysisInfoMixin<SmallRangesAnalysis>;
  static llvm::AnalysisKey Key;
};

} // namespace clotho::compiler
