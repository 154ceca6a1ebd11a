// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Value.h>

namespace clotho::compiler {

/// Which values an integer can have (for vectors, any of its elements), by what computes it. Loads, arguments and
/// values around loops can have all. Computed when asked for; ask for no value that was removed meanwhile.
class SmallRanges {
 public:
  llvm::ConstantRange of(const llvm::Value* value);

  /// Whether all of them are in [-2^15, 2^15).
  bool fitsSigned(const llvm::Value* value);
  /// Whether all of them are in [0, 2^16).
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
