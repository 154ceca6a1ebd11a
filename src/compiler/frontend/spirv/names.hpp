// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

/// Names of what modules are made of, for messages.
namespace clotho::compiler::spirv {

/// "Shader (1)"; the number alone where no name is known.
std::string capabilityName(std::uint32_t number);

/// "OpIAdd"; "instruction 9999" where no name is known.
std::string instructionName(std::uint32_t opcode);

} // namespace clotho::compiler::spirv
