// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void version(global int* out) { out[get_global_id(0)] = __OPENCL_C_VERSION__; }
