// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/Twine.h>

namespace llvm {
class CallInst;
class Function;
} // namespace llvm

namespace clotho::compiler {

/// Value forms of builtins with a second result (secondResult): functions that return both results and write no memory.
/// Vector variants can replace calls of such forms, whatever memory the program's pointer points to.
class ValueForms {
 public:
  /// Replaces `call` by a call of the value form, and stores the second result where `call` would. Returns the new
  /// call.
  llvm::CallInst& replace(llvm::CallInst& call);
  /// Creates a value form named `name`, which calls `function`.
  static llvm::Function& make(llvm::Function& function, llvm::Type& second, const llvm::Twine& name);

 private:
  llvm::DenseMap<const llvm::Function*, llvm::Function*> forms_;
};

} // namespace clotho::compiler
