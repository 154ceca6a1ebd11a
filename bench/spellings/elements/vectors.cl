// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of four.
kernel void line(global const float4* in, global float4* out, float a, float b, int n) {
  size_t i = get_global_id(0);
  out[i] = a * in[i] + b;
}
