// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"
#include "compiler/transform/widen/row_stores.hpp"

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

/// How many times as fast `widened`, which runs `width` work-items at once, is as `scalar`, of which it was made, for
/// as many, one after the other. That is estimated by cost tables. It is below 1 where little is computed with much
/// that each lane has to load from a place of its own, store there, or do alone.
double estimatedGain(const LoopedFunction& widened, const LoopedFunction& scalar, unsigned width,
                     const llvm::TargetTransformInfo& costs, const ProcessorModel& cpu);

/// How `scalar` does beside `widened`. In kernels with barriers it may be faster than an estimate can clearly say.
enum class ScalarSpeed { Slower, PerhapsFaster, ClearlyFaster };

/// By the cost tables of the machine, or LLVM's usual ones if it is null. `rows`: of `scalar`.
ScalarSpeed scalarSpeed(llvm::Function& widened, const LoopedFunction& scalar, const RowStores& rows, unsigned width,
                        const llvm::TargetMachine* machine, const ProcessorModel& cpu);

} // namespace clotho::compiler
