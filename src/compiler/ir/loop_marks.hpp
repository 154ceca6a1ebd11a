// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class Instruction;
class Loop;
} // namespace llvm

/// Reads the metadata of loops (ir/marks.hpp).
namespace clotho::compiler {

/// Whether a back edge, perhaps through other blocks, has kIndependentLoopName.
bool isMarkedIndependent(const llvm::Instruction& branch);

/// The width in kSubGroupLoopName, if the loop has it.
std::optional<std::uint64_t> subGroupLoopWidth(const llvm::Loop& loop);

} // namespace clotho::compiler
