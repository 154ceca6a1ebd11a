// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>
#include <functional>
#include <optional>

/// Accesses to local arrays of which every lane's place is known.
namespace clotho::compiler {

using Places = llvm::SmallVector<std::int64_t, 16>;
/// Null where it is not known.
using ConstantOf = llvm::function_ref<llvm::Constant*(llvm::Value&)>;

/// Bytes from the array's beginning to where the pointer points, or each lane's pointer; nothing if they are not known.
std::optional<Places> bytesFrom(const llvm::Value& array, llvm::Value* pointer, ConstantOf constantOf,
                                const llvm::DataLayout& layout);

/// A load or store, masked or not, of one place, a row of them, or as many as there are lanes.
struct KnownAccess {
  llvm::Instruction* instruction;
  /// Each unit of the value is so many units from the array's beginning; -1 says that it is not accessed.
  Places places;
  bool isMaskKnown; ///< and what it hides is in `places`

  bool isStore() const { return instruction->getType()->isVoidTy(); }
  /// What is stored.
  llvm::Value* value() const { return instruction->getOperand(0); }
  /// Null where there is none.
  llvm::Value* mask() const;
  /// What a masked load has for other lanes; null where it is no masked load.
  llvm::Value* otherwise() const;
  unsigned lanes() const;
};

/// All accesses to an array, in no order.
struct KnownAccesses {
  llvm::Type* unit;            ///< an element, or a part of one where elements are accessed as several types
  std::int64_t unitBytes, end; ///< in units
  llvm::SmallVector<KnownAccess, 64> all;
};

/// Loads, stores and LLVM's masked ones by way of the pointer; false if there is any other use of it.
bool collectLocalAccesses(llvm::Value& pointer, llvm::SmallVectorImpl<llvm::Instruction*>& accesses);

/// How often an access runs, and what is known in each of these rounds.
struct Rounds {
  unsigned count;
  std::function<llvm::Constant*(llvm::Value&, unsigned)> constantOf;
};

/// Every access in every round. Nothing if a place is not known, before the array, or more than so many bytes behind
/// its beginning.
std::optional<KnownAccesses> knownAccesses(llvm::Argument& array, std::int64_t mostBytes,
                                           llvm::function_ref<Rounds(llvm::Instruction&)> roundsOf);

} // namespace clotho::compiler
