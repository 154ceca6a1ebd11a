// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers that a float cannot hold, rounded each way; all are chosen by the mode alone.
kernel void convert(global const int* in, global float* out) {
  const int i = get_global_id(0);
  out[i * 4] = convert_float_rte(in[i]);
  out[i * 4 + 1] = convert_float_rtz(in[i]);
  out[i * 4 + 2] = convert_float_rtp(in[i]);
  out[i * 4 + 3] = convert_float_rtn(in[i]);
}
