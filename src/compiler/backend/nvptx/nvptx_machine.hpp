// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

#include <llvm/Support/Error.h>

#include <memory>

namespace llvm {
class TargetMachine;
}

namespace clotho::compiler {

/// Oldest architecture for which code is made. Older ones lack atomics with an order and independent threads.
inline constexpr const char* kOldestGpu = "sm_70";

/// Machine for the GPU that `target` names, or for kOldestGpu if it names none.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createNvptxMachine(const Target& target, bool optimise);

/// The number of the machine's architecture, such as 90.
unsigned architectureOf(const llvm::TargetMachine& machine);

} // namespace clotho::compiler
