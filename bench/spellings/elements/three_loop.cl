// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three elements a work-item, in a loop.
kernel void line(global const float* in, global float* out, float a, float b, int n) {
  int i = get_global_id(0);
  for (int c = 0; c < 3; ++c)
    out[3 * i + c] = a * in[3 * i + c] + b;
}
