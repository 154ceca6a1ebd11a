// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

/// Names of a module's parts, for messages.
namespace clotho::compiler::spirv {

/// A text such as "Shader (1)"; the number alone if the name is unknown.
std::string capabilityName(std::uint32_t number);

/// A name such as "OpIAdd"; "instruction 9999" if it is unknown.
std::string instructionName(std::uint32_t opcode);

} // namespace clotho::compiler::spirv
