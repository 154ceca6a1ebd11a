// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Instructions.h>

namespace clotho::compiler {

/// Tells debuggers that `made` has the variables of `memory` for each lane: an array, of which the elements are
/// `stride` bytes apart.
void declareLanes(const llvm::AllocaInst& memory, llvm::AllocaInst& made, unsigned lanes, std::uint64_t stride);

} // namespace clotho::compiler
