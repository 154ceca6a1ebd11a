// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Few work-items, each as far from one element to the next as there are of them.
kernel void line(global const float* in, global float* out, float a, float b, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    out[i] = a * in[i] + b;
}
