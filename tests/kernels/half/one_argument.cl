// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// Every half there is; the same function of vectors must agree.
kernel void apply(global const half* in, global half* out) { out[get_global_id(0)] = F(in[get_global_id(0)]); }
kernel void vectors(global const half* in, global half* out) {
  const size_t i = get_global_id(0) * 16;
  vstore8(F(vload8(0, in + i)), 0, out + i);
  vstore4(F(vload4(0, in + i + 8)), 0, out + i + 8);
  vstore3(F(vload3(0, in + i + 12)), 0, out + i + 12);
  out[i + 15] = F(in[i + 15]);
}
