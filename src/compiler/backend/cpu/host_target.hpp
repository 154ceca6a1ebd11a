// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

#include <llvm/Support/Error.h>

#include <memory>

namespace llvm {
class TargetMachine;
}

namespace clotho::compiler {

/// Machine for the CPU that `target` names, or for the host's CPU if it names none. Code is position-independent.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const Target& target, bool optimise);

} // namespace clotho::compiler
