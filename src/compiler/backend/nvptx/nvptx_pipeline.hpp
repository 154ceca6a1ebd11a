// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/backend/collect_findings.hpp"
#include "compiler/backend/nvptx/lower/make_entries.hpp"
#include "compiler/backend/stage.hpp"

#include <llvm/Support/Error.h>

#include <string>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace clotho::compiler {

/// Lowers a portable module with builtins linked to entries of PTX, in NVPTX's address spaces, and fills `entries` and
/// `findings`. `makesParts`: kernels get part arguments. Errors go to the module's context.
void lowerForNvptx(llvm::Module& module, llvm::TargetMachine& machine, bool optimise, EntryFacts& entries,
                   FindingsOfKernels& findings, bool makesParts, const PassObserver& observer);

/// Runs LLVM's optimisations on a lowered module.
void optimiseForNvptx(llvm::Module& module, llvm::TargetMachine& machine, bool optimise, const PassObserver& observer);

/// The module as text in PTX.
llvm::Expected<std::string> emitPtx(llvm::Module& module, llvm::TargetMachine& machine);

} // namespace clotho::compiler
