// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// Every half there is.
kernel void apply(global const half* in, global half* out) { out[get_global_id(0)] = F(in[get_global_id(0)]); }
