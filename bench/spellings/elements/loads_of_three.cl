// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three elements a work-item, by the functions for that.
kernel void line(global const float* in, global float* out, float a, float b, int n) {
  size_t i = get_global_id(0);
  vstore3(a * vload3(i, in) + b, i, out);
}
