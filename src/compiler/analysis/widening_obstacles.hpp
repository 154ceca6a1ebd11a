// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace llvm {
class Function;
class LoopInfo;
} // namespace llvm

namespace clotho::compiler {

/// The reason why a kernel cannot be vectorised; empty if there is none.
std::string obstacleToWidening(const llvm::Function& kernel);

/// Whether some loop has no exit, or has no form in which the widener knows its exits, or nothing returns.
bool hasEndlessLoop(const llvm::Function& kernel, const llvm::LoopInfo& loops);

} // namespace clotho::compiler
