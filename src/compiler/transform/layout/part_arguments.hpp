// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/footprint.hpp"

#include <llvm/IR/PassManager.h>

#include <functional>
#include <utility>
#include <vector>

namespace clotho::compiler {

/// Lets parts of launches see the whole: kernels that ask for group ids, for the number of groups, or for size or
/// offset of the launch get further parameters, behind their own, which say what a part adds to its group ids and what
/// the whole has. Kernels of programs whose kernels enqueue others stay as they are.
/// Needs: ids and sizes in the kernels alone, so inline before.
struct PartArgumentsPass : llvm::PassInfoMixin<PartArgumentsPass> {
  using Note = std::function<void(llvm::StringRef kernel, const std::vector<PartArgument>& arguments)>;

  /// `note`: is told of each kernel that gets parameters.
  explicit PartArgumentsPass(Note note = [](llvm::StringRef, const std::vector<PartArgument>&) {})
      : note_(std::move(note)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  Note note_;
};

} // namespace clotho::compiler
