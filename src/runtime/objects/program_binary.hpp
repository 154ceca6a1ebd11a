// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/objects/program.hpp"

#include <string>
#include <string_view>

/// Program binaries, as CL_PROGRAM_BINARIES gives them to applications (compiler/client/binary_format.hpp).
namespace clotho {

std::string encodeBinary(const Program::Build& build);

/// Throws CL_INVALID_BINARY for anything that encodeBinary of this version did not make.
Program::Build decodeBinary(std::string_view bytes, const Ref<Device>& device);

/// Whether code of a binary takes what launches on the device give it. Only joint devices give part arguments, and they
/// run for any arguments what was built first.
bool hasCodeFor(const Device& device, const BuildResult& built);

} // namespace clotho
