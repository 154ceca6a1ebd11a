// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/kernels.hpp"
#include "compiler/transform/memory/tile_accesses.hpp"

#include <llvm/IR/PassManager.h>

#include <optional>

namespace clotho::compiler {

/// Bypasses the tiles of a kernel whose work-groups fill them in loops, each element once. The values are made of the
/// element's place and of what all work-items know, such as a part of a picture and a margin around it:
///
///   for (i = y * 16 + x; i < 18 * 18; i += 256) tile[i] = f(i);
///   for (i = y; i < 18; i += 16) for (j = x; j < 18; j += 16) tile[i][j] = f(i, j);
///
/// After it what is read from tiles is f of the place that is read, and there are neither tiles nor barriers
/// (DirectKernelsPass says when that is the same). Returns the local size for which the kernel is the same. Returns
/// nothing for kernels of another form; the function then is of no use.
std::optional<LocalSize> bypassLoopFilledTiles(llvm::Function& kernel, Accesses& accesses,
                                               llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
