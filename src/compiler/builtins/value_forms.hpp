// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/Twine.h>

namespace llvm {
class CallInst;
class Function;
} // namespace llvm

namespace clotho::compiler {

/// Builtins with a second result (secondResult), as functions that return both results and write no memory. Vector
/// variants can stand for calls of such forms, whatever memory the program's pointer points into.
class ValueForms {
 public:
  /// The call that takes the place of `call`; its second result is stored where `call` would write it.
  llvm::CallInst& replace(llvm::CallInst& call);
  /// A form by the name of `name`, which calls `function`.
  static llvm::Function& make(llvm::Function& function, llvm::Type& second, const llvm::Twine& name);

 private:
  llvm::DenseMap<const llvm::Function*, llvm::Function*> forms_;
};

} // namespace clotho::compiler
