// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum lives in the result's matrix.
kernel void multiply(global float* a, global float* b, global float* c, int n) {
  int j = get_global_id(0), i = get_global_id(1);
  if ((i < n) && (j < n)) {
    c[i * n + j] = 0;
    for (int k = 0; k < n; k++)
      c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}
