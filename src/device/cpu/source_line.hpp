// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace clotho::cpu {

/// The place in the source that an instruction was compiled from, as "file:line"; empty where the object does not say.
/// `object` is an ELF file of 64 bits with the line table of DWARF 5, which builds with -g have. `address` is the one
/// that the file gives the instruction. Damaged tables are not followed beyond the object. Throws bad_alloc.
std::string sourceLineOf(std::string_view object, std::uint64_t address);

} // namespace clotho::cpu
