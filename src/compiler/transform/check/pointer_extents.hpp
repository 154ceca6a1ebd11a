// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>

namespace clotho::compiler {

/// A place in memory, as values of i64.
struct PointerExtent {
  llvm::Value* offset = nullptr; ///< from the beginning of the memory, in bytes; of a pointer before it negative
  llvm::Value* size = nullptr;   ///< of the memory, in bytes
  /// Address of the first cell of the memory (abi/checks.h); 0: it has none. For local memory, bytes from where that of
  /// the work-group begins.
  llvm::Value* cells = nullptr;
  const llvm::Value* object = nullptr; ///< the argument or variable; null: one of several
  unsigned space = 0;                  ///< address space of the memory; the generic one: there are several
};

/// Whether all lanes take the pointer of the first one: where a block of the sub-group begins.
bool isOfFirstLane(const llvm::Value& pointer);

/// Computes for pointers of a kernel what memory they point into, as instructions of the kernel. Pointers are followed
/// through address arithmetic, casts, phis and selects to arguments and variables.
class PointerExtents {
 public:
  explicit PointerExtents(llvm::Function& kernel);

  /// Nothing for pointers of unknown origin, as those that the kernel loads.
  std::optional<PointerExtent> of(llvm::Value* pointer);
  /// The arguments and variables that a pointer may be to; none for pointers of unknown origin.
  llvm::SmallPtrSet<llvm::Value*, 4> objectsOf(llvm::Value* pointer) const;
  /// Whether the instruction is no part of the program, but computes an extent.
  bool isOwn(const llvm::Instruction& instruction) const { return own_.contains(&instruction); }

 private:
  bool isKeptPointer(const llvm::Value& pointer) const;
  bool findObjects(llvm::Value* pointer, llvm::SmallPtrSetImpl<llvm::Value*>& objects) const;
  PointerExtent make(llvm::Value* pointer);
  PointerExtent ofObject(llvm::Value* object);
  PointerExtent ofArgument(llvm::Argument& argument);
  PointerExtent ofPhi(llvm::PHINode& phi);
  llvm::Value* distanceInLocal(llvm::Value& object);

  llvm::Function& kernel_;
  const bool isKernel_;
  llvm::IRBuilder<> entry_; ///< where loads of arguments' extents are put
  llvm::DenseMap<llvm::Value*, PointerExtent> extents_;
  llvm::SmallPtrSet<const llvm::Instruction*, 4> own_; ///< users of objects that are not the program's
};

} // namespace clotho::compiler
