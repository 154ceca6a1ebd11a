// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local memory in patterns of lanes that are known (compiler/analysis/lane_pattern.hpp).
kernel void sort(global const uint* in, global uint* out, int n, local uint* data) {
  int lid = get_local_id(0), size = get_local_size(0), base = get_group_id(0) * 2 * size;
  data[lid] = in[base + lid];
  data[lid + size] = in[base + lid + size];
  for (int run = 2; run <= 2 * size; run *= 2)
    for (int stride = run / 2; stride > 0; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int i = 2 * lid - (lid & (stride - 1));
      bool descending = (i & run) != 0;
      uint a = data[i], b = data[i + stride];
      if ((a > b) != descending) {
        data[i] = b;
        data[i + stride] = a;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + lid] = data[lid];
  out[base + lid + size] = data[lid + size];
}

// Pairs exchanged, some of them, with other places stored to between.
kernel void exchange(global const uint* in, global uint* out, uint limit, local uint* data) {
  int lid = get_local_id(0), gid = get_global_id(0);
  data[lid] = in[gid];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint other = data[lid ^ 1], far = data[(lid & ~3) + 3 - (lid & 3)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (other < limit) data[lid ^ 1] = far + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[gid] = data[lid];
}

// Some lanes store, to places with gaps between them.
kernel void gaps(global const int* in, global int* out, local int* data) {
  int lid = get_local_id(0), size = get_local_size(0), base = get_group_id(0) * 2 * size;
  data[lid] = -1;
  data[lid + size] = -2;
  barrier(CLK_LOCAL_MEM_FENCE);
  int value = in[get_global_id(0)];
  if (value & 1) data[2 * lid + (lid & 1)] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + lid] = data[lid];
  out[base + lid + size] = data[lid + size];
}

// A stride that only the caller knows, power of two or not.
kernel void ahead(global const int* in, global int* out, int stride, local int* data) {
  int lid = get_local_id(0), gid = get_global_id(0);
  data[lid] = in[gid];
  barrier(CLK_LOCAL_MEM_FENCE);
  int from = data[lid - (lid & (stride - 1))];
  out[gid] = from + stride;
}
