// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void apply(global const float* a, global const float* b, global const float* c, global float* out) {
  const int i = get_global_id(0);
  out[i] = fma(a[i], b[i], c[i]);
}
