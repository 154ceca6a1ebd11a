// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second matrix's tile is kept transposed, in rows of 17 against conflicts of banks.
kernel void multiply(global const float* a, global const float* b, global float* c, int n) {
  local float tileA[16][17], tileB[16][17];
  const int lx = get_local_id(0), ly = get_local_id(1);
  const int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int t = 0; t < n / 16; ++t) {
    tileA[ly][lx] = a[y * n + t * 16 + lx];
    tileB[lx][ly] = b[(t * 16 + ly) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k)
      sum += tileA[ly][k] * tileB[lx][k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}
