// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include <cstdint>
#include <optional>

namespace llvm {
class Instruction;
class Loop;
class Metadata;
} // namespace llvm

/// Metadata of loops, by LLVM's names and by those of ir/marks.hpp.
namespace clotho::compiler {

/// Whether a back edge, perhaps through other blocks, has kIndependentLoopName.
bool isMarkedIndependent(const llvm::Instruction& branch);

/// The width in kSubGroupLoopName, if the loop has it.
std::optional<std::uint64_t> subGroupLoopWidth(const llvm::Loop& loop);

/// Gives the loop that ends with `branch` these properties alone, and an identity of its own.
void setLoopProperties(llvm::Instruction& branch, llvm::ArrayRef<llvm::Metadata*> properties);

/// Overload for a single property without a value.
void setLoopProperty(llvm::Instruction& branch, const char* name);

} // namespace clotho::compiler
