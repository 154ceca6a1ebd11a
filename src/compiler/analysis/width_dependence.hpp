// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

namespace llvm {
class Function;
} // namespace llvm

namespace clotho::compiler {

/// Whether all results of the kernel are bitwise the same at any sub-group width. They may differ for these reasons:
/// - reductions of work-groups combine those of sub-groups;
/// - atomics of local memory return values in the order of work-items, and printf prints in it (the order of atomics of
///   global memory is not defined anyway);
/// - reciprocal square roots use an estimate in vectors but not in scalar code;
/// - if the program allows it, vectors are divided by estimates, and products of uniform values are not fused.
/// Kernels that rely on lanes running in lockstep (mayGoInStep) are not considered.
bool isSameAtAnyWidth(const llvm::Function& kernel, const ProcessorModel& cpu);

/// Whether the function, or one that it calls, has arithmetic that may be evaluated with other rounding
/// (-cl-mad-enable, -cl-unsafe-math-optimizations). Its result then depends on the surrounding code.
bool hasRelaxedArithmetic(const llvm::Function& function);

/// Whether the kernel may rely on the work-items of a sub-group running in lockstep: it accesses volatile memory that
/// other work-items see. Work-items in lockstep in a narrow sub-group are so in a wider one, but not the reverse.
bool mayGoInStep(const llvm::Function& kernel);

} // namespace clotho::compiler
