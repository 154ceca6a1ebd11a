// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An element a work-item, if there are so many.
kernel void line(global const float* in, global float* out, float a, float b, int n) {
  int i = get_global_id(0);
  if (i < n)
    out[i] = a * in[i] + b;
}
