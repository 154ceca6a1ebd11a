// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four elements a work-item, side by side.
kernel void line(global const float* in, global float* out, float a, float b, int n) {
  int i = get_global_id(0) * 4;
  for (int k = 0; k < 4; k++)
    out[i + k] = in[i + k] * a + b;
}
