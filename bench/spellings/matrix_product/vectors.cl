// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four neighbouring elements a work-item.
kernel void multiply(global const float* a, global const float4* b, global float4* c, int n) {
  int x = get_global_id(0), y = get_global_id(1), columns = n / 4;
  float4 sum = (float4)(0.0f);
  for (int k = 0; k < n; ++k)
    sum += a[y * n + k] * b[k * columns + x];
  c[y * columns + x] = sum;
}
