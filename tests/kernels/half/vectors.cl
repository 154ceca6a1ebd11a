// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void apply(global const half* in, global half* out) {
  const size_t i = get_global_id(0) * 17;
  vstore8(F(vload8(0, in + i)), 0, out + i);
  vstore4(F(vload4(0, in + i + 8)), 0, out + i + 8);
  vstore3(F(vload3(0, in + i + 12)), 0, out + i + 12);
  vstore2(F(vload2(0, in + i + 15)), 0, out + i + 15);
}
