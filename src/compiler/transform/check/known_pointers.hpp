// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>

#include <optional>

namespace clotho::compiler {

/// Known alignment of a pointer at an instruction. LLVM looks through no casts of address spaces, so it knows that of
/// no generic pointer.
llvm::Align alignmentOf(llvm::Value& pointer, const llvm::Instruction& at, unsigned depth = 0);

/// The place of a pointer in its memory, and the size of that, in bytes.
struct KnownExtent {
  std::int64_t offset;
  std::uint64_t size;
  bool operator==(const KnownExtent&) const = default;
};

/// Notes at the pointers among a function's parameters what all its calls agree on: their alignment, and their extent
/// in a variable. Needs: the calls of its callers are noted, and all users of it are calls.
void noteWhatCallsPass(llvm::Function& function);

/// The extent that is noted of a parameter.
std::optional<KnownExtent> notedExtent(const llvm::Argument& parameter);

} // namespace clotho::compiler
