// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/handles.hpp"

#include <string>
#include <vector>

/// Kernels that every device has without a program of the application's (OpenCL 3.0, section 5.8.1). What they take
/// and do is in docs/built_in_kernels.md.
namespace clotho {

/// For CL_DEVICE_BUILT_IN_KERNELS: names with semicolons between them.
std::string builtInKernelNames();
/// For CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION.
std::vector<cl_name_version> builtInKernelVersions();

/// The source of those that `names` lists, with semicolons between them, each once.
/// Throws CL_INVALID_VALUE for a name that is none.
std::string builtInKernelSource(std::string_view names);

inline constexpr const char* kBuiltInKernelOptions = "-cl-std=CL3.0 -cl-kernel-arg-info";

} // namespace clotho
