// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

class BuiltinLibrary;

/// Makes the module call the builtins that are written for GPUs, whose names begin with "clotho.gpu.", where the
/// library has them. Must run before the builtins are linked.
class PreferGpuBuiltinsPass : public llvm::PassInfoMixin<PreferGpuBuiltinsPass> {
 public:
  explicit PreferGpuBuiltinsPass(const BuiltinLibrary& library) : library_(&library) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);

 private:
  const BuiltinLibrary* library_;
};

/// Links the builtins that the module calls (BuiltinLibrary::linkInto).
class LinkBuiltinsPass : public llvm::PassInfoMixin<LinkBuiltinsPass> {
 public:
  explicit LinkBuiltinsPass(const BuiltinLibrary& library) : library_(&library) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  const BuiltinLibrary* library_;
};

/// Keeps image accesses as calls in kernels that have many (limitImages).
struct LimitImagesPass : llvm::PassInfoMixin<LimitImagesPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

/// Keeps calls of long builtins beyond a kernel's budget (limitInlining), and links the vector variants for these
/// calls.
class LimitInliningPass : public llvm::PassInfoMixin<LimitInliningPass> {
 public:
  explicit LimitInliningPass(const BuiltinLibrary& library) : library_(&library) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);

 private:
  const BuiltinLibrary* library_;
};

/// Applies the properties in builtins.def to builtins (applyBuiltinProperties).
struct BuiltinPropertiesPass : llvm::PassInfoMixin<BuiltinPropertiesPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
