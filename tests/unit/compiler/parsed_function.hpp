// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueSymbolTable.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <string>

namespace clotho::compiler {

/// The function f of a module, and its values by name.
class Parsed {
 public:
  explicit Parsed(const std::string& text) : module_(llvm::parseAssemblyString(text, error_, context_)) {
    if (module_ == nullptr) error_.print("test", llvm::errs());
  }
  llvm::Value& operator[](const char* name) { return *module_->getFunction("f")->getValueSymbolTable()->lookup(name); }
  const llvm::DataLayout& layout() const { return module_->getDataLayout(); }

 private:
  llvm::SMDiagnostic error_;
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

} // namespace clotho::compiler
