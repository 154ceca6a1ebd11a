// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two elements a work-item, one after the other, if there are so many.
kernel void line(global const float* in, global float* out, float a, float b, int n) {
  int i = get_global_id(0);
  if (2 * i < n) {
    out[2 * i] = a * in[2 * i] + b;
    out[2 * i + 1] = a * in[2 * i + 1] + b;
  }
}
