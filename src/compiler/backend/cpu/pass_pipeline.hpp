// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/backend/stage.hpp"
#include "compiler/transform/widen/vectorise_kernels.hpp"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace clotho::compiler {

/// From a portable module with builtins linked to work-group functions in address space 0. Errors go to the
/// module's context. Without `optimise` only what correctness needs is run.
void lowerKernels(llvm::Module& module, bool optimise, const VectoriseOptions& vectorise = {.width = 1},
                  std::vector<VectorisationReport>* reports = nullptr, const PassObserver& observer = {});

/// Lays a lowered module out for the machine, and finds out what has to be known of the whole module: what variables
/// hold, and which functions only compute.
void optimiseVariables(llvm::Module& module, llvm::TargetMachine& machine, bool optimise,
                       const PassObserver& observer = {});

/// All the rest, which may be done to parts of the module one by one.
void optimiseFunctions(llvm::Module& module, llvm::TargetMachine& machine, bool optimise,
                       const PassObserver& observer = {});

} // namespace clotho::compiler
