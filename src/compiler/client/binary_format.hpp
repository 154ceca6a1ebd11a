// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/client/protocol.hpp"
#include "compiler/compiler.hpp"

#include <string>
#include <string_view>

/// The bytes of program binaries, which the driver and the command-line tool write: versioned, checksummed, with the
/// portable module beside the device code, so that another CPU of the same kind can use them too.
namespace clotho {

inline constexpr std::string_view kBinaryMagic = "\x93"
                                                 "CLOTHO\n";
/// The version of the format and of what is serialised in it.
inline constexpr std::uint32_t kBinaryVersion = 2U << 16U | kProtocolVersion;

/// `type` is a cl_program_binary_type. What belongs to one machine's cache is left out.
std::string encodeBinary(std::uint32_t type, const std::string& options, const Target& target, BuildResult result);

} // namespace clotho
