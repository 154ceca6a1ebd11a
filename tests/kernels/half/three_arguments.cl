// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void apply(global const half* x, global const half* y, global const half* z, global half* out) {
  const size_t i = get_global_id(0);
  out[i] = F(x[i], y[i], z[i]);
}
kernel void vectors(global const half* x, global const half* y, global const half* z, global half* out) {
  const size_t i = get_global_id(0);
  vstore4(F(vload4(i, x), vload4(i, y), vload4(i, z)), i, out);
}
// The product is rounded before the sum, also where the expression may be contracted.
kernel void separate(global const half* x, global const half* y, global const half* z, global half* out) {
#pragma OPENCL FP_CONTRACT OFF
  const size_t i = get_global_id(0);
  out[i] = x[i] * y[i] + z[i];
}
kernel void selects(global const half* x, global const half* y, global const short* z, global half* out) {
  const size_t i = get_global_id(0);
  out[3 * i] = select(x[i], y[i], z[i]);
  out[3 * i + 1] = select((half3)(x[i]), (half3)(y[i]), (ushort3)(z[i])).z;
  out[3 * i + 2] = bitselect(x[i], y[i], as_half(z[i]));
}
