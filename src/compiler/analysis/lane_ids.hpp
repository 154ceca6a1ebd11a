// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ids of work-items along the dimension of lanes, in the forms in which kernels compute them.
#pragma once

#include "compiler/analysis/division.hpp"

#include <llvm/IR/Instructions.h>

#include <optional>

namespace clotho::compiler {

/// Local ids are small. A launch's offset may take global ids across a power of two, even between two lanes.
enum class Id { None, Local, Global };

/// The value that a loop hands out under another name.
const llvm::Value* behindExits(const llvm::Value* value);

/// A division of a work-item's linear id by a constant, in any of the forms that makeLinear writes.
std::optional<Division> matchLinearDivision(const llvm::Value& value);

Id idOf(const llvm::Value* id);

/// The id of which the instruction takes as many bits as ints have without the sign, which is what LLVM makes of an
/// extension of a truncated id that has been found to be positive.
Id idThatFits(const llvm::Instruction& instruction);

/// The truncated id that a signed number is but for small constants, which take it nowhere near to where it wraps
/// around if it fits into an int with the room that kMostIds leaves; null if it is another number.
const llvm::TruncInst* idBehindTerms(const llvm::Instruction& sum);

/// Whether the value is a multiple of a block's lanes in the first of them, and one more in each that follows.
bool beginsBlocks(const llvm::Value* value, unsigned blockLanes);

} // namespace clotho::compiler
