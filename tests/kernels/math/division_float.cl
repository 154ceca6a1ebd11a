// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void divide(global const float* a, global const float* b, global float* out, global const double* c, global double* wide) {
  const int i = get_global_id(0);
  out[i] = a[i] / b[i];
  wide[i] = c[i] / b[i];
}
