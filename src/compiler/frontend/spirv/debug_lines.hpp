// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/frontend/spirv/instructions.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>
#include <string>

namespace clotho::compiler::spirv {

/// The lines of source that a module's instructions come from (OpLine), as debuggers are told them: with -g each
/// function has its place, and each instruction its line. Variables have none.
class DebugLines {
 public:
  explicit DebugLines(llvm::Module& module) : builder_(module) {}

  /// From here on instructions are those of `function`, which begins where `like` does, and without one at the line
  /// that was said last.
  void enter(llvm::Function& function, llvm::StringRef name, llvm::IRBuilder<>& instructions,
             const llvm::DISubprogram* like = nullptr);
  /// From here on instructions come from this line of a file.
  void say(const std::string& file, unsigned line, unsigned column, llvm::IRBuilder<>& instructions);
  /// From here on nothing is known of instructions (OpNoLine, and the end of each block).
  void forget(llvm::IRBuilder<>& instructions);
  /// When all functions have been read.
  void finish(llvm::Module& module);

 private:
  llvm::DIFile* fileOf(const std::string& name);

  llvm::DIBuilder builder_;
  llvm::StringMap<llvm::DIFile*> files_;
  llvm::DenseMap<std::pair<llvm::DISubprogram*, llvm::DIFile*>, llvm::DIScope*> scopes_;
  llvm::DICompileUnit* unit_ = nullptr;
  llvm::DISubprogram* function_ = nullptr;
  std::string file_; ///< what was said last, and 0 where nothing is known
  unsigned line_ = 0;
};

} // namespace clotho::compiler::spirv
