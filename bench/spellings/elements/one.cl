// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An element a work-item.
kernel void line(global const float* in, global float* out, float a, float b, int n) {
  size_t i = get_global_id(0);
  out[i] = a * in[i] + b;
}
