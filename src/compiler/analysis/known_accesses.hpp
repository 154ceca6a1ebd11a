// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>
#include <functional>
#include <optional>

/// Accesses to local arrays at offsets that are known for every lane at compile time.
namespace clotho::compiler {

using Offsets = llvm::SmallVector<std::int64_t, 16>;
/// Evaluates a value to a constant; null if it is not known.
using ConstantOf = llvm::function_ref<llvm::Constant*(llvm::Value&)>;

/// Offset of the pointer, or of each lane's pointer, from the array's beginning, in bytes; nothing if it is not known.
std::optional<Offsets> bytesFrom(const llvm::Value& array, llvm::Value* pointer, ConstantOf constantOf,
                                 const llvm::DataLayout& layout);

/// A load or store, masked or not: of one element, of consecutive elements, or of one element for each lane (gather,
/// scatter).
struct KnownAccess {
  llvm::Instruction* instruction;
  /// Offset of each unit of the value from the array's beginning, in units; -1: not accessed.
  Offsets offsets;
  bool isMaskKnown; ///< the mask is constant, and `offsets` leaves out what it hides

  bool isStore() const { return instruction->getType()->isVoidTy(); }
  /// The stored value.
  llvm::Value* value() const { return instruction->getOperand(0); }
  /// The mask; null if there is none.
  llvm::Value* mask() const;
  /// Pass-through operand of a masked load; null for other accesses.
  llvm::Value* otherwise() const;
  unsigned lanes() const;
};

/// All accesses to an array, in no particular order.
struct KnownAccesses {
  llvm::Type* unit;            ///< an element, or a part of one where elements are accessed as several types
  std::int64_t unitBytes, end; ///< `end` is in units
  llvm::SmallVector<KnownAccess, 64> all;
};

/// Collects plain and masked loads and stores through the pointer; false if it has any other use.
bool collectLocalAccesses(llvm::Value& pointer, llvm::SmallVectorImpl<llvm::Instruction*>& accesses);

/// Iterations in which an access runs, and the constants known in each of them.
struct Iterations {
  unsigned count;
  std::function<llvm::Constant*(llvm::Value&, unsigned)> constantOf;
};

/// Lists every access in every iteration. Nothing if an offset is unknown, negative, or at least `mostBytes`.
std::optional<KnownAccesses> knownAccesses(llvm::Argument& array, std::int64_t mostBytes,
                                           llvm::function_ref<Iterations(llvm::Instruction&)> iterationsOf);

} // namespace clotho::compiler
