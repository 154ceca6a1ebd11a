// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/backend/collect_findings.hpp"
#include "compiler/backend/stage.hpp"
#include "compiler/transform/widen/vectorise_kernels.hpp"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace clotho::compiler {

/// Lowers a portable module with builtins linked to work-group functions in address space 0. Errors go to the module's
/// context. Without `optimise`, runs only what correctness needs. `findings` gets each kernel's work and
/// footprint, with dimensions as the program has them. `makesParts`: launches may be divided between devices.
void lowerKernels(llvm::Module& module, bool optimise, const VectoriseOptions& vectorise = {.width = 1},
                  std::vector<VectorisationReport>* reports = nullptr, const PassObserver& observer = {},
                  FindingsOfKernels* findings = nullptr, bool makesParts = false);

/// Lays a lowered module out for the machine and derives facts that need the whole module: the constant contents of
/// variables, and functions without side effects.
void optimiseVariables(llvm::Module& module, llvm::TargetMachine& machine, bool optimise,
                       const PassObserver& observer = {});

/// Runs the remaining optimisations, which can run on parts of the module.
void optimiseFunctions(llvm::Module& module, llvm::TargetMachine& machine, bool optimise,
                       const PassObserver& observer = {});

} // namespace clotho::compiler
