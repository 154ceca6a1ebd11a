// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

namespace llvm {
class Function;
} // namespace llvm

namespace clotho::compiler {

/// Whether no result of the kernel depends on how many of its work-items run at once, to the bit. Sums of work-groups
/// are made of those of sub-groups; atomics of local memory answer in the order in which work-items come, and printf
/// prints in it, while those of global memory answer in any, as work-groups do not wait for each other; and what
/// estimates roots is another instruction than the one for scalars. Where programs allow it, vectors are divided by
/// estimates, and products of uniform values are not fused. Kernels that count on work-items that go in step
/// (mayGoInStep) are left out of account.
bool isSameAtAnyWidth(const llvm::Function& kernel, const ProcessorModel& cpu);

/// Whether the function, or one that it calls, has arithmetic that the program allows to be done otherwise than it is
/// written (-cl-mad-enable, -cl-unsafe-math-optimizations): what becomes of it depends on the code around it.
bool hasRelaxedArithmetic(const llvm::Function& function);

/// Whether the kernel may count on the work-items of a sub-group going in step: it accesses volatile memory that others
/// see. What goes in step in a narrow sub-group does so in a wider one, too, but not the other way round.
bool mayGoInStep(const llvm::Function& kernel);

} // namespace clotho::compiler
