// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three elements a work-item, as of a colour or a point.
kernel void line(global const float* in, global float* out, float a, float b, int n) {
  const uint i = 3 * get_global_id(0);
  float x = in[i], y = in[i + 1], z = in[i + 2];
  out[i] = a * x + b;
  out[i + 1] = a * y + b;
  out[i + 2] = a * z + b;
}
