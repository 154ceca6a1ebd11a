// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace bench {

/// A program in OpenCL C as CUDA C++ to put behind nvcc/opencl.cuh. Kernels keep their names; their arguments that are
/// local memory become offsets of 32 bits. `options` are those of clBuildProgram, of which macros are taken. For
/// programs as bench/kernels has them: without images, and without definitions of functions by macros.
std::string cudaSource(const std::string& program, const std::string& options);

} // namespace bench
