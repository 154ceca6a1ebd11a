// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/backend/cpu/stack_use.hpp"
#include "compiler/backend/stage.hpp"
#include "compiler/compiler.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Error.h>

#include <memory>
#include <vector>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace clotho::compiler {

/// Optimises lowered modules and emits object files, on several threads if a program is large enough
/// (module_parts.hpp). One thread at a time.
class CodeGenerator {
 public:
  CodeGenerator();
  ~CodeGenerator();

  /// The machine for the next emission, owned by this object. The last target's machine is cached, since its tables
  /// take a millisecond to make.
  llvm::Expected<llvm::TargetMachine*> machineFor(const Target& target, bool optimise);

  /// Emits the object files for one shared object, and lists the stack use of their functions. Errors of the code
  /// generator go to the module's context, or from other threads to `log`, and then there is no object. With an
  /// observer, the module is not divided.
  using Objects = std::vector<llvm::SmallString<0>>;
  llvm::Expected<Objects> emit(llvm::Module& module, llvm::ArrayRef<BuiltKernel> kernels, const Observer& observer,
                               std::string& log, StackUses& stacks);

  /// If true, divides even modules that are too small to gain from it.
  void divideSmall(bool small) { dividesSmall_ = small; }

 private:
  struct Part;
  struct Output {
    llvm::SmallString<0> object;
    StackUses stacks;
  };
  llvm::Error compile(llvm::Module& module, unsigned part, const Observer& observer, Output& output);

  std::vector<std::unique_ptr<llvm::TargetMachine>> machines_; // of each thread
  Target target_;
  bool optimises_ = false;
  bool dividesSmall_ = false;
};

} // namespace clotho::compiler
