// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void doubles(global const double* a, global const double* b, global double* out) {
  const int i = get_global_id(0);
  out[i * 5] = a[i] + b[i];
  out[i * 5 + 1] = a[i] * b[i];
  out[i * 5 + 2] = a[i] / b[i];
  out[i * 5 + 3] = -a[i] < b[i] ? sqrt(fabs(a[i])) : 0.1;
  out[i * 5 + 4] = (long)(a[i] * 1e9);
}
