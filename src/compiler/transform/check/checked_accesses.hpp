// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <vector>

namespace clotho::compiler {

/// An access of memory by a program: a load, a store, or a builtin function that is passed a pointer.
struct CheckedAccess {
  llvm::Instruction* at = nullptr;
  llvm::Value* pointer = nullptr;
  std::uint64_t bytes = 0;       ///< 0: `length` says how many
  llvm::Value* length = nullptr; ///< i64, in units of `unit` bytes
  std::uint64_t unit = 1;
  llvm::Value* index = nullptr; ///< i64: the access begins so many times `stride` bytes behind the pointer
  std::uint64_t stride = 0;
  llvm::Align align;
  bool reads = false, writes = false;
  bool isAtomic = false;

  bool isPlain() const;
  /// All work-items of a group make the copy together.
  bool isGroupCopy() const;
};

/// The accesses of the function in its order. A copy is two.
std::vector<CheckedAccess> checkedAccesses(llvm::Function& function);

/// Name of an OpenCL builtin without its mangled types; empty if it is none.
llvm::StringRef builtinName(llvm::StringRef mangled);

} // namespace clotho::compiler
