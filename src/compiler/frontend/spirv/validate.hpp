// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/spirv.hpp"

#include <string>
#include <string_view>

namespace clotho::compiler {

/// Whether `il` is well-formed SPIR-V that can be consumed, as clCreateProgramWithIL wants it (OpenCL 2.2, section
/// 5.8.1): of a version and with capabilities that are supported, valid by the rules of SPIR-V, and a module of the
/// OpenCL environment. Empty if it is, else one sentence that says what is wrong.
std::string checkSpirv(std::string_view il);

} // namespace clotho::compiler
