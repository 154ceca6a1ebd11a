// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/Analysis/LoopInfo.h>

namespace clotho::compiler {

/// Whether `widened`, which runs `width` work-items at once, clearly takes a processor longer than `scalar`, of which it
/// was made, takes for as many, one after the other. So it is where little is computed with much that each lane has to
/// load from a place of its own, store there, or do alone.
bool losesToScalar(llvm::Function& widened, llvm::Function& scalar, const llvm::LoopInfo& loops, unsigned width,
                   const ProcessorModel& cpu);

} // namespace clotho::compiler
