// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/tile_accesses.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/IR/PassManager.h>

#include <optional>

namespace clotho::compiler {

/// Local-memory elimination for tiles that a work-group fills in loops, each element once. Elements depend only on
/// their index and on uniform values, such as a part of an image with a margin around it:
///
///   for (i = y * 16 + x; i < 18 * 18; i += 256) tile[i] = f(i);
///   for (i = y; i < 18; i += 16) for (j = x; j < 18; j += 16) tile[i][j] = f(i, j);
///
/// Loads of tile[i] become f(i), and there are neither tiles nor barriers any more (DirectKernelsPass says when that is
/// equivalent). Returns the local size for which the kernel is equivalent. Returns nothing for kernels of another form;
/// the function is then to be discarded.
std::optional<LocalSize> bypassLoopFilledTiles(llvm::Function& kernel, Accesses& accesses,
                                               llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
