// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/frontend/spirv/instructions.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>
#include <string>

namespace clotho::compiler::spirv {

/// Debug information for the source lines of a module's instructions (OpLine): with -g each function has a subprogram,
/// and each instruction a line. Variables have none.
class DebugLines {
 public:
  explicit DebugLines(llvm::Module& module) : builder_(module) {}

  /// The following instructions belong to `function`, which begins at the line of `like`, or without it at the last
  /// line.
  void enter(llvm::Function& function, llvm::StringRef name, llvm::IRBuilder<>& instructions,
             const llvm::DISubprogram* like = nullptr);
  /// The following instructions come from this line of a file.
  void say(const std::string& file, unsigned line, unsigned column, llvm::IRBuilder<>& instructions);
  /// The following instructions have no line (OpNoLine, and the end of each block).
  void forget(llvm::IRBuilder<>& instructions);
  /// Call after all functions have been read.
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
