// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>

#include <cstdint>

namespace clotho {

/// The version of OpenCL that CLOTHO_OPENCL_VERSION asks for: 2.2, 3.0 or 3.1, and 3.0 where it asks for no such one.
cl_version chosenOpenClVersion();

/// As macros of OpenCL C have a version: 310 is 3.1.
constexpr std::uint32_t macroOf(cl_version version) {
  return CL_VERSION_MAJOR(version) * 100 + CL_VERSION_MINOR(version) * 10;
}

} // namespace clotho
