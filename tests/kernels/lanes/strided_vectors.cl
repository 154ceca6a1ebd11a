// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of short vectors, one a work-item: one behind the other, apart, and longer than what is read of them.
kernel void sums(global int* out, global const int4* rows, int columns, int stride) {
  const int row = get_global_id(0);
  int4 sum = 0;
  for (int i = 0; i < columns; i++)
    sum += rows[row * stride + i];
  out[row] = sum.x + 2 * sum.y + 3 * sum.z + 4 * sum.w;
}

kernel void halves(global float* out, global const half* rows, int columns, int stride) {
  const int row = get_global_id(0);
  float4 sum = 0;
  for (int i = 0; i < columns; i++)
    sum += vload_half4(row * stride + i, rows);
  out[row] = sum.x + 2 * sum.y + 3 * sum.z + 4 * sum.w;
}

kernel void some(global int* out, global const int4* rows, int columns, int stride, global const int* wanted) {
  const int row = get_global_id(0);
  int4 sum = 0;
  if (wanted[row])
    for (int i = 0; i < columns; i++)
      sum += rows[row * stride + i];
  out[row] = sum.x + 2 * sum.y + 3 * sum.z + 4 * sum.w;
}
