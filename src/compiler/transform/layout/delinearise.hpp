// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Recovers rows in kernels that are launched in one dimension and divide their id by the length of a row: `x = i % w,
/// y = i / w`. The quotient and the remainder are what get_global_id(1) and get_global_id(0) are in a launch with two
/// dimensions, which other passes can optimise.
///
/// Finds the divisor in kernels that use only global ids, and records it (KernelFacts::rowLength). A version for
/// launches with such rows (kRowsName) is rewritten: dimension 0 goes along a row, dimension 1 over rows.
/// KernelFacts::countsRows tells the device.
/// Needs: functions inlined into kernels, values in registers, no pass that relied on dimensions before.
struct DelinearisePass : llvm::PassInfoMixin<DelinearisePass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
