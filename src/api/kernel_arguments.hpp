// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "api/parse.hpp"

/// The work of clSetKernelArg, clSetKernelArgSVMPointer and clSetKernelExecInfo, with their errors.
namespace clotho::api {

void setArgument(Kernel& kernel, cl_uint index, size_t size, const void* value);
void setSvmPointer(Kernel& kernel, cl_uint index, const void* value);
void setExecInfo(Kernel& kernel, cl_kernel_exec_info name, size_t size, const void* value);

} // namespace clotho::api
