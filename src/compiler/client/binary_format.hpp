// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/client/protocol.hpp"
#include "compiler/compiler.hpp"

#include <string>
#include <string_view>

/// Format of program binaries, which the driver and the command-line tool write: versioned, checksummed, with the
/// portable module next to the device code, so that other CPUs of the same kind can use them too.
namespace clotho {

inline constexpr std::string_view kBinaryMagic = "\x93"
                                                 "CLOTHO\n";
/// Version of the format and of the data serialised in it.
inline constexpr std::uint32_t kBinaryVersion = 3U << 16U | kProtocolVersion;

/// `type` is a cl_program_binary_type, `checks` what CLOTHO_CHECK had the code checked for. Fields that belong to one
/// machine's cache are left out.
std::string encodeBinary(std::uint32_t type, const std::string& options, const Target& target,
                         const std::string& checks, BuildResult result);

} // namespace clotho
