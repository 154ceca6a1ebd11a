// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class Instruction;
class Loop;
} // namespace llvm

/// What the metadata of loops say (ir/marks.hpp).
namespace clotho::compiler {

/// Whether a branch back, perhaps by way of other blocks, has kIndependentLoopName.
bool isMarkedIndependent(const llvm::Instruction& branch);

/// The width in kSubGroupLoopName, if it is such a loop.
std::optional<std::uint64_t> subGroupLoopWidth(const llvm::Loop& loop);

} // namespace clotho::compiler
