// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Many kernels are launched in one dimension and divide their id by the length of a row: `x = i % w, y = i / w`. The
/// quotient and the remainder are then what get_global_id(1) and get_global_id(0) are of a launch in two dimensions,
/// as which all that knows of rows can deal with them.
///
/// Finds by what an id is divided where nothing but global ids is asked for, and says so (KernelFacts::rowLength). A
/// version for launches that have such rows (kRowsName) is counted so: dimension 0 goes along a row, dimension 1 over
/// rows. KernelFacts::countsRows tells the device. Needs: functions inlined into kernels, values in registers, and that
/// no pass has counted on dimensions yet.
struct DelinearisePass : llvm::PassInfoMixin<DelinearisePass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
