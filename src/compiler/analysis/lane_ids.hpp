// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matches ids of work-items along the dimension of lanes, in the forms in which kernels compute them.
#pragma once

#include "compiler/analysis/division.hpp"

#include <llvm/IR/Instructions.h>

#include <optional>

namespace clotho::compiler {

/// Kind of an id. Local ids are small. Global ids may cross a power of two, even between two lanes, because of the
/// global offset.
enum class Id { None, Local, Global };

/// The value behind a chain of LCSSA phis.
const llvm::Value* behindExits(const llvm::Value* value);

/// A division of a work-item's linear id by a constant, in any of the forms that makeLinear writes.
std::optional<Division> matchLinearDivision(const llvm::Value& value);

Id idOf(const llvm::Value* id);

/// The id of which the instruction keeps the low 31 bits. LLVM forms this mask when it extends a truncated id that is
/// known not to be negative.
Id idThatFits(const llvm::Instruction& instruction);

/// The truncated id to which the sum adds only small constants; null for other values. The sum does not wrap around if
/// the id fits into an int with the margin that kMostIds leaves.
const llvm::TruncInst* idBehindTerms(const llvm::Instruction& sum);

/// Whether the value, in each block of `blockLanes` lanes, is a multiple of `blockLanes` in the first lane and grows by
/// one a lane.
bool beginsBlocks(const llvm::Value* value, unsigned blockLanes);

} // namespace clotho::compiler
