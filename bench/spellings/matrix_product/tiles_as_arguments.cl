// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of one dimension that are arguments; the walk over them by offsets of their first elements.
#define AS(i, j) as[(j) + (i) * 16]
#define BS(i, j) bs[(j) + (i) * 16]
kernel void multiply(global const float* a, global const float* b, global float* c, local float* as, local float* bs,
                     int n) {
  int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
  int aBegin = n * 16 * by, aEnd = aBegin + n - 1, bBegin = 16 * bx;
  float sum = 0.0f;
  for (int i = aBegin, j = bBegin; i <= aEnd; i += 16, j += 16 * n) {
    AS(ty, tx) = a[i + n * ty + tx];
    BS(ty, tx) = b[j + n * ty + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < 16; ++k)
      sum += AS(ty, k) * BS(k, tx);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}
