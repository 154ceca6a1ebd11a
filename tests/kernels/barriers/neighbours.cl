// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items read what their neighbours write next: before the barrier, always what was there.
kernel void prefix(global const int* in, global int* out, local int* a) {
  int lid = get_local_id(0), gid = get_global_id(0);
  a[lid] = in[gid];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int offset = 1; offset < 64; offset *= 2) {
    int v = lid >= offset ? a[lid - offset] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[lid] += v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[gid] = a[lid];
}

kernel void suffix(global const int* in, global int* out, local int* a) {
  int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
  a[lid] = in[gid];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int offset = 1; offset < 64; offset *= 2) {
    int v = lid + offset < size ? a[lid + offset] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[lid] += v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[gid] = a[lid];
}

// Both neighbours, and an array of which one part is read and another written.
kernel void both(global const int* in, global int* out, local int* a) {
  int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
  a[lid + 1] = in[gid];
  if (lid == 0) a[0] = a[size + 1] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = a[lid] + a[lid + 2];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[lid + 1] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  int w = a[lid];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[lid + 2] = w;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[gid] = a[lid + 1];
}
