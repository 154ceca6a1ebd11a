// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps between barriers for the work-items from a constant on, or up to one, which lies in a sub-group or between two.
kernel void scan(global uint* out, global const uint* in) {
  local uint tmp[256];
  const uint lid = get_local_id(0);
  tmp[lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint offset = 1; offset < 256; offset *= 2) {
    const uint before = lid >= offset ? tmp[lid - offset] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[lid] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = tmp[lid];
}

// Two buffers, so that work-items run from the first to the last.
kernel void scan_twice(global ulong* out, global const uint* in) {
  local ulong tmp[2][256];
  const int lid = get_local_id(0);
  int from = 0;
  tmp[0][lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int offset = 1; offset < 256; offset *= 2) {
    ulong sum = tmp[from][lid];
    if (lid >= offset) sum += tmp[from][lid - offset];
    tmp[1 - from][lid] = sum;
    from = 1 - from;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = tmp[from][lid];
}

kernel void reduce(global uint* out, global const uint* in) {
  local uint tmp[512];
  const int lid = get_local_id(0);
  tmp[lid + 256] = 0;
  tmp[lid] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  tmp[lid] = in[get_global_id(0)];
  for (int s = 128; s > 0; s /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < s && lid + s < get_local_size(0)) tmp[lid] += tmp[lid + s];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tmp[0] * 2 + (lid & 1);
}

// All ways to compare, with bounds in the middle of a sub-group of any width and between two.
kernel void bounds(global uint* out, global const uint* in) {
  local uint tmp[256];
  const int lid = get_local_id(0);
  tmp[lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid > 5) tmp[lid] += 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid < 32) tmp[lid] += 10;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid <= 100) tmp[lid] += 100;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid != 0) tmp[lid] += 1000;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid == 17) tmp[lid] += 10000;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid >= 64 && lid != 70) tmp[lid] += 100000;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tmp[lid ^ 1];
}

// Steps of which several may be one loop: other distances, what is read of both sides, nothing of one's own, and a
// difference, which tells in which order they were.
kernel void several_steps(global uint* out, global const uint* in) {
  local uint tmp[256];
  const int lid = get_local_id(0);
  tmp[lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint three = lid >= 3 ? tmp[lid - 3] : 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  tmp[lid] -= three;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint one = lid > 0 ? tmp[lid - 1] : 1, twenty = lid >= 20 ? tmp[lid - 20] : 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  tmp[lid] = tmp[lid] * 3 + one - twenty;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint sixteen = lid >= 16 ? tmp[lid - 16] : 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  tmp[lid] = sixteen + lid;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tmp[lid];
}

kernel void largest(global float* out, global const float* in) {
  local float tmp[256];
  const int lid = get_local_id(0);
  tmp[lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int offset = 1; offset < 256; offset *= 2) {
    float mine = tmp[lid];
    if (lid >= offset) mine = fmax(mine, tmp[lid - offset]);
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[lid] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = tmp[lid];
}

// What is kept across barriers lies in a frame for each row of the work-group, of which there is one here: the loop that
// fills the row depends on the loops around it.
kernel void kept(global uint* out, global const uint* in) {
  local uint tmp[256], other[256];
  const int lid = get_local_id(0);
  other[get_local_size(0) - 1 - lid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint value = other[lid];
  tmp[lid] = value * 3 + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int offset = 1; offset < 4; offset *= 2) {
    const uint before = lid >= offset ? tmp[lid - offset] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[lid] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = tmp[lid] * value;
}

kernel void kept_from_the_start(global uint* out, global const uint* in) {
  local uint tmp[256];
  const int lid = get_local_id(0);
  const uint value = in[get_global_id(0)];
  tmp[lid] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int offset = 1; offset < 256; offset *= 2) {
    const uint before = lid >= offset ? tmp[lid - offset] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[lid] += before + get_local_id(1);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = tmp[lid] * value;
}
