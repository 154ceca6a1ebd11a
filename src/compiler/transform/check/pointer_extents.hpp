// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>

namespace clotho::compiler {

/// A place in memory, as values of i64.
struct PointerExtent {
  llvm::Value* offset = nullptr;       ///< from the beginning of the memory, in bytes; of a pointer before it negative
  llvm::Value* size = nullptr;         ///< of the memory, in bytes
  llvm::Value* cells = nullptr;        ///< address of the first cell of the memory (abi/checks.h); 0: it has none
  const llvm::Value* object = nullptr; ///< the argument or variable; null: one of several
};

/// Computes for pointers of a kernel what memory they point into, as instructions of the kernel. Pointers are followed
/// through address arithmetic, casts, phis and selects to arguments and variables.
class PointerExtents {
 public:
  explicit PointerExtents(llvm::Function& kernel);

  /// Nothing for pointers of unknown origin, as those that the kernel loads.
  std::optional<PointerExtent> of(llvm::Value* pointer);

 private:
  bool findObjects(llvm::Value* pointer, llvm::SmallPtrSetImpl<llvm::Value*>& objects) const;
  PointerExtent make(llvm::Value* pointer);
  PointerExtent ofObject(llvm::Value* object);
  PointerExtent ofArgument(llvm::Argument& argument);
  PointerExtent ofPhi(llvm::PHINode& phi);

  llvm::Function& kernel_;
  const bool isKernel_;
  llvm::IRBuilder<> entry_; ///< where loads of arguments' extents are put
  llvm::DenseMap<llvm::Value*, PointerExtent> extents_;
};

} // namespace clotho::compiler
