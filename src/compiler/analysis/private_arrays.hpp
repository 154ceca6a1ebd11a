// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/affine_address.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace clotho::compiler {

/// Private arrays that can be interleaved by lane, so that lanes with the same index access consecutive memory: those
/// that are only loaded and stored in multiples of one unit, at addresses that are plain sums.
class PrivateArrays {
 public:
  struct Access {
    const llvm::AllocaInst* array;
    AffineForm offset; ///< offset of the load or store, in units
  };

  explicit PrivateArrays(llvm::Function& function);

  /// Size of the interleaved array's elements in bytes; 0 if it is not interleaved.
  unsigned unitOf(const llvm::AllocaInst* array) const { return units_.lookup(array); }
  /// Nothing if the access is not to an interleaved array.
  const Access* accessOf(const llvm::Instruction* access) const;
  /// Whether the instruction is removed: it computes an address in, or marks the lifetime of, an interleaved array.
  bool isReplaced(const llvm::Instruction* instruction) const { return replaced_.contains(instruction); }

 private:
  void consider(llvm::AllocaInst& array);

  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::AllocaInst*, unsigned> units_;
  llvm::DenseMap<const llvm::Instruction*, Access> accesses_;
  llvm::DenseMap<const llvm::Instruction*, bool> replaced_;
};

} // namespace clotho::compiler
