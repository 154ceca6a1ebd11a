// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/spirv/debug_lines.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler::spirv {

llvm::DIFile* DebugLines::fileOf(const std::string& name) {
  llvm::DIFile*& file = files_[name];
  if (file == nullptr) file = builder_.createFile(name.empty() ? "<spirv>" : name, "");
  return file;
}

void DebugLines::enter(llvm::Function& function, llvm::StringRef name, llvm::IRBuilder<>& instructions,
                       const llvm::DISubprogram* like) {
  llvm::DIFile* file = like != nullptr ? like->getFile() : fileOf(file_);
  const unsigned line = like != nullptr ? like->getLine() : line_;
  if (unit_ == nullptr)
    unit_ = builder_.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_OpenCL), file, "Clotho",
                                       /*isOptimized=*/true, "", /*RV=*/0);
  function_ = builder_.createFunction(file, name, function.getName(), file, line,
                                      builder_.createSubroutineType(builder_.getOrCreateTypeArray({})), line,
                                      llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  function.setSubprogram(function_);
  instructions.SetCurrentDebugLocation(llvm::DILocation::get(function.getContext(), line, 0, function_));
}

void DebugLines::say(const std::string& file, unsigned line, unsigned column, llvm::IRBuilder<>& instructions) {
  file_ = file;
  line_ = line;
  if (function_ == nullptr) return;
  llvm::DIFile* where = fileOf(file);
  llvm::DIScope*& scope = scopes_[{function_, where}];
  if (scope == nullptr)
    scope = where == function_->getFile() ? static_cast<llvm::DIScope*>(function_)
                                          : builder_.createLexicalBlockFile(function_, where);
  instructions.SetCurrentDebugLocation(llvm::DILocation::get(function_->getContext(), line, column, scope));
}

void DebugLines::forget(llvm::IRBuilder<>& instructions) {
  line_ = 0;
  if (function_ != nullptr)
    instructions.SetCurrentDebugLocation(llvm::DILocation::get(function_->getContext(), 0, 0, function_));
}

void DebugLines::finish(llvm::Module& module) {
  if (unit_ == nullptr) return;
  builder_.finalize();
  constexpr std::uint32_t kDwarf = 5; // as of source
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Max, "Dwarf Version", kDwarf);
}

} // namespace clotho::compiler::spirv
