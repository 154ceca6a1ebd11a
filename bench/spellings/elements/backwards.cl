// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the last element to the first.
kernel void line(global const float* in, global float* out, float a, float b, int n) {
  int i = get_global_id(0);
  out[n - 1 - i] = a * in[n - 1 - i] + b;
}
