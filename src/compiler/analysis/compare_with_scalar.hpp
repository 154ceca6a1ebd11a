// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"
#include "compiler/analysis/row_stores.hpp"

#include <llvm/Analysis/LoopInfo.h>

namespace llvm {
class TargetMachine;
class TargetTransformInfo;
} // namespace llvm

namespace clotho::compiler {

/// A function and its loops.
struct LoopedFunction {
  const llvm::Function& function;
  const llvm::LoopInfo& loops;
};

/// Estimated speedup of `widened`, which runs `width` work-items at once, over `scalar`, from which it was made. It is
/// below 1 if little is computed compared with gathers, scatters and lane-by-lane code.
double estimatedGain(const LoopedFunction& widened, const LoopedFunction& scalar, unsigned width,
                     const llvm::TargetTransformInfo& costs, const ProcessorModel& cpu);

/// Estimated speed of `scalar` compared with `widened`. In kernels with barriers it may be faster than an estimate can
/// clearly tell.
enum class ScalarSpeed { Slower, PerhapsFaster, ClearlyFaster };

/// Compares by the cost tables of the machine, or by LLVM's default ones if it is null. `rows`: stores of `scalar`.
ScalarSpeed scalarSpeed(llvm::Function& widened, const LoopedFunction& scalar, const RowStores& rows, unsigned width,
                        const llvm::TargetMachine* machine, const ProcessorModel& cpu);

} // namespace clotho::compiler
