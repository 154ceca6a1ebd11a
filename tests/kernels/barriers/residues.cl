// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between barriers, work-items take part whose local id has a certain rest.

kernel void rest(global uint* out, global const uint* in, uint n, uint r) {
  local uint data[300];
  uint l = get_local_id(0);
  data[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l % n == r)
    data[l] = data[l] * 3 + l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = data[l];
}

kernel void signed_rest(global uint* out, global const uint* in, int n, int r) {
  local uint data[300];
  int l = get_local_id(0);
  data[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l % n == r)
    data[l] = data[l] * 3 + l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = data[l];
}

kernel void bits(global uint* out, global const uint* in, uint mask, uint r) {
  local uint data[300];
  uint l = get_local_id(0);
  data[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if ((l & mask) == r)
    data[l] = data[l] * 3 + l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = data[l];
}

// The sum of the group, by steps that double, and the next number is asked for as well.
kernel void sum(global uint* out, global const uint* in) {
  local uint data[300];
  int l = get_local_id(0), size = get_local_size(0);
  data[l] = in[get_global_id(0)];
  for (int d = 1; d < size; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l % (2 * d) == 0 && l + 1 < size && l + d < size)
      data[l] += data[l + d];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = data[0] + l;
}

// Two that must not be taken for one.
kernel void two_rests(global uint* out, global const uint* in) {
  local uint data[300];
  uint l = get_local_id(0);
  data[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l % 8 == 3)
    data[l] += 1000;
  if (l % 4 == 2)
    data[l] += 5000;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l % 16 == 15)
    data[l] += data[l - 15] * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = data[l];
}
