// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/affine_address.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace clotho::compiler {

/// Which of a kernel's private variables can be laid out interleaved by lane, so that lanes that use the same index
/// read neighbouring memory: those that are only loaded from and stored to in multiples of one unit, at addresses
/// that are plain sums.
class PrivateArrays {
 public:
  struct Access {
    const llvm::AllocaInst* array;
    AffineForm offset; ///< of the load or store, in units
  };

  explicit PrivateArrays(llvm::Function& function);

  /// The size in bytes of the interleaved array's elements; 0 when it is not interleaved.
  unsigned unitOf(const llvm::AllocaInst* array) const { return units_.lookup(array); }
  /// Nothing when the access is not to an interleaved array.
  const Access* accessOf(const llvm::Instruction* access) const;
  /// The instruction is an address in, or concerns the lifetime of, an interleaved array, so it disappears.
  bool isReplaced(const llvm::Instruction* instruction) const { return replaced_.contains(instruction); }

 private:
  void consider(llvm::AllocaInst& array);

  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::AllocaInst*, unsigned> units_;
  llvm::DenseMap<const llvm::Instruction*, Access> accesses_;
  llvm::DenseMap<const llvm::Instruction*, bool> replaced_;
};

} // namespace clotho::compiler
