// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices of 32 bits around barriers: negative factors and counters, and an unsigned one that wraps around.
kernel void turned(global int* out, global const int* in, int n, int step) {
  local int tile[16][16];
  const int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
  int sum = 0;
  for (int t = n / 16 - 1; t >= 0; t--) {
    tile[y][x] = in[(n - 1 - (t * 16 + y)) * step + (n - 1) * (n - step) + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++)
      sum += tile[k][x] * (k + 1) + tile[k][y];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[row * n + column] = sum;
}

kernel void wrapped(global int* out, global const int* in, uint n, uint factor) {
  local int tile[16];
  const uint x = get_local_id(0), g = get_global_id(0);
  int sum = 0;
  for (uint t = 0; t < n; t++) {
    tile[x] = in[t * 2u * factor + g];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[15u - x] * (int)(t + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[g] = sum;
}
