// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row a work-item, four elements at a time.
kernel void multiply(global const float4* a, global const float4* x, global float* y, int columns) {
  int i = get_global_id(0);
  float4 sum = (float4)(0);
  for (int k = 0; k < columns / 4; k++)
    sum += a[i * (columns / 4) + k] * x[k];
  y[i] = sum.x + sum.y + sum.z + sum.w;
}
