// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"
#include "compiler/compiler.hpp"
#include "compiler/transform/widen/vectorisation_report.hpp"

#include <llvm/IR/PassManager.h>

#include <vector>

namespace clotho::compiler {

struct VectoriseOptions {
  ProcessorModel cpu = {};
  const llvm::TargetMachine* machine = nullptr; ///< machine whose costs count; null: LLVM's generic ones
  unsigned width = 0;                           ///< W of every kernel; 0: chosen for each
  unsigned subGroupSize = kDefaultSubGroupSize; ///< sub-group size of kernels that use sub-groups, if `width` is 0
  bool mayReport = false;
  bool makesExact = true;  ///< else no exact variants but those of kernels that count in a small buffer
  bool makesFaster = true; ///< else one function for all rows of a kernel (CodeScope::First)
};

/// Turns each kernel into its sub-group function: W work-items, neighbours along dimension 0, in the lanes of vectors.
/// get_local_id(0) is then the id of the first lane.
/// - The kernel itself runs rows whose length is a multiple of W. Its predicated variant, an internal function, runs
///   others, with the last sub-group of each row masked.
/// - A remainder kernel (transform/lower/remainder_kernels.hpp) runs all rows itself, masked, with the width of its
///   original.
/// - If an index does not wrap around between lanes only because of facts of the launch (LaneShapes), an exact variant
///   runs launches for which the facts do not hold. It has one lane, unless the kernel has barriers or the sub-group
///   size matters.
/// - A kernel that uses sub-groups has the size that it requires or the device's default
///   (VectoriseOptions::subGroupSize). Its predicated variant runs work-groups of one row, and its exact variant
///   divides other work-groups by the linear local id.
/// - Without `makesFaster`, kernels that do not use sub-groups have no predicated variant: they run all rows
///   themselves, masked.
/// Needs: functions inlined, private variables in registers if possible.  Gives: kernels with KernelFacts::width; a
/// kernel that cannot be vectorised stays as it is, and the report says why.
class VectoriseKernelsPass : public llvm::PassInfoMixin<VectoriseKernelsPass> {
 public:
  explicit VectoriseKernelsPass(VectoriseOptions options = {}, std::vector<VectorisationReport>* reports = nullptr)
      : options_(options), reports_(reports) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  VectoriseOptions options_;
  std::vector<VectorisationReport>* reports_;
};

} // namespace clotho::compiler
