// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps from one row of local memory to another and back.
kernel void scan(global uint* out, global uint* before, global const uint* in) {
  local uint tmp[2][256];
  const uint lid = get_local_id(0), n = get_local_size(0);
  uint from = 0;
  tmp[0][lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint offset = 1; offset < 256; offset *= 2) {
    uint v = tmp[from][lid];
    if (lid >= offset)
      v += tmp[from][lid - offset];
    tmp[1 - from][lid] = v;
    from = 1 - from;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = tmp[from][lid];
  // What the last step but one has left.
  before[get_global_id(0)] = tmp[1 - from][n - 1 - lid];
}

// An odd number of them, in an order that matters, and another value where there is none.
kernel void odd(global int* out, global int* before, global const int* in) {
  local int tmp[2][128];
  const int lid = get_local_id(0), n = get_local_size(0);
  tmp[1][lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  tmp[0][lid] = 2 * tmp[1][lid] - (lid >= 3 ? tmp[1][lid - 3] : 5);
  barrier(CLK_LOCAL_MEM_FENCE);
  tmp[1][lid] = 3 * tmp[0][lid] - (lid >= 32 ? tmp[0][lid - 32] : 7);
  barrier(CLK_LOCAL_MEM_FENCE);
  tmp[0][lid] = tmp[1][lid] - (lid >= 1 ? tmp[1][lid - 1] : 9);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tmp[0][n - 1 - lid];
  before[get_global_id(0)] = tmp[1][n - 1 - lid];
}

// Two arrays, by pointers that change places.
kernel void swapped(global float* out, global float* before, global const float* in) {
  local float one[128], two[128];
  local float *from = one, *to = two;
  const int lid = get_local_id(0), n = get_local_size(0);
  from[lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int offset = 1; offset <= 64; offset *= 2) {
    to[lid] = lid >= offset ? fmax(from[lid], from[lid - offset]) : from[lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    local float* other = from;
    from = to;
    to = other;
  }
  out[get_global_id(0)] = from[lid];
  before[get_global_id(0)] = to[n - 1 - lid];
}

// Rows that overlap: each step's are further down than what the next one reads.
kernel void overlapping(global int* out, global const int* in) {
  local int tmp[400];
  const int lid = get_local_id(0), n = get_local_size(0);
  tmp[lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid < 64) {
    for (int i = 0; i < 2; i++)
      tmp[n + lid + 64 * i] = -1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int mine = tmp[lid] + (lid >= 2 ? tmp[lid - 2] : 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  tmp[64 + lid] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  mine = tmp[64 + lid] + (lid >= 1 ? tmp[64 + lid - 1] : 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  tmp[lid] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tmp[n - 1 - lid] * 3 + tmp[64 + n - 1 - lid];
}

// A row is filled, then summed into another one that overlaps it: no work-item may write there before all have read.
kernel void filled_overlapping(global int* out, global const int* in) {
  local int tmp[400];
  const int lid = get_local_id(0), n = get_local_size(0);
  tmp[lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  int mine = tmp[lid] + (lid >= 2 ? tmp[lid - 2] : 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  tmp[64 + lid] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tmp[n - 1 - lid] * 3 + tmp[64 + n - 1 - lid];
}

// Three rows, each made of the one before; the regions stay apart for what the last one does.
kernel void from_row_to_row(global int* out, global const int* in, global int* ticket, global int* order) {
  local int x[256], y[256], z[256];
  const int lid = get_local_id(0), n = get_local_size(0);
  x[lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[lid] = x[lid] * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  z[lid] = y[lid] + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = z[n - 1 - lid] + y[n - 1 - lid] + x[n - 1 - lid];
  if (lid == 0)
    order[get_group_id(0)] = atomic_inc(ticket) >= 0;
}
