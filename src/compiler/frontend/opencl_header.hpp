// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace clotho::compiler {

/// The text of clang's opencl-c-base.h, put into the binary when Clotho is built.
std::string_view openclBaseHeader();
/// Declarations of cl_intel_subgroups (intel_subgroups.h).
std::string_view intelSubgroupsHeader();

} // namespace clotho::compiler
