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

/// From lowered modules to object files: optimises and emits, on several threads where a program is large enough
/// (module_parts.hpp). Used by one thread at a time.
class CodeGenerator {
 public:
  CodeGenerator();
  ~CodeGenerator();

  /// For the target of what is emitted next. Owned by this; the last target's is kept, for its tables take a
  /// millisecond to make.
  llvm::Expected<llvm::TargetMachine*> machineFor(const Target& target, bool optimise);

  /// What is to be linked into one shared object, and what its functions take of the stack. Problems that the code
  /// generator has with the module go to its context, or, from other threads, to the log; these give no object at all.
  /// With an observer, nothing is divided: it gets the module whole.
  using Objects = std::vector<llvm::SmallString<0>>;
  llvm::Expected<Objects> emit(llvm::Module& module, llvm::ArrayRef<BuiltKernel> kernels, const Observer& observer,
                               std::string& log, StackUses& stacks);

  /// Divides whatever can be divided from now on, or only what is worth it.
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
