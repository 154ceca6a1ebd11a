// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors that write back what lanes that are off have found reach into the array beside.
__attribute__((reqd_work_group_size(24, 1, 1))) kernel void two(global uint* out, global const uint* in,
                                                                 global const int* places) {
  local uint a[20], b[20];
  int l = get_local_id(0);
  if (l < 20) {
    a[l] = in[l];
    b[l] = in[l + 32];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = a[places[l]] + b[places[l]];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 20) {
    a[l] = in[l + 64];
    b[l] = in[l + 96];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = sum + a[places[l]] * b[places[l]];
}

__attribute__((reqd_work_group_size(8, 1, 1))) kernel void before(global uint* out, global const uint* in,
                                                                   global const int* places) {
  local uint a[8], b[8];
  int l = get_local_id(0);
  a[l] = in[l];
  b[l] = in[l + 8];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l >= 4) b[l - 4] = in[l + 16];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[l] = in[l + 32];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l >= 4) b[l - 4] = in[l + 24];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = a[places[l] % 8] + 1000 * b[places[l] % 8];
}

__attribute__((reqd_work_group_size(16, 1, 1))) kernel void in_a_loop(global uint* out, global const uint* in,
                                                                       global const int* places, int n) {
  local uint a[12], b[12];
  int l = get_local_id(0);
  uint sum = 0;
  for (int t = 0; t < n; ++t) {
    if (l < 12) {
      b[l] = in[t * 24 + 12 + l];
      a[l] = in[t * 24 + l];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += a[places[l] % 12] * b[places[l] % 12];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[l] = sum;
}
