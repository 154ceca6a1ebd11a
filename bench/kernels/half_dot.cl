// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of halves, each row's product with a vector: four at a time.
kernel void half_dot(global float* out, global const half* rows, global const half* vector, int columns) {
  int row = get_global_id(0);
  float4 sum = (float4)(0.0f);
  for (int i = 0; i < columns / 4; i++)
    sum += vload_half4(row * (columns / 4) + i, rows) * vload_half4(i, vector);
  out[row] = sum.x + sum.y + sum.z + sum.w;
}
