// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four elements a work-item, neighbours neighbouring ones.
kernel void line(global const float* in, global float* out, float a, float b, int n) {
  const int i = get_global_id(0), all = get_global_size(0);
  for (int k = 0; k < 4; ++k)
    out[i + k * all] = a * in[i + k * all] + b;
}
