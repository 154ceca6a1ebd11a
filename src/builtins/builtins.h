// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Declarations for all families. The files are OpenCL C 3.0 for spir64 without clang's builtin declarations: a family
// declares the few functions of other families or of libclc that it calls.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define OVERLOAD __attribute__((overloadable))
#define PURE __attribute__((overloadable, const))
