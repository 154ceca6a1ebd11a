// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four elements a work-item as a vector, and a scan of the work-items' sums.
kernel void scan(global const uint4* in, global uint4* out) {
  local uint sums[64];
  uint l = get_local_id(0);
  uint4 v = in[get_global_id(0)];
  v.y += v.x;
  v.z += v.y;
  v.w += v.z;
  sums[l] = v.w;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < 64; d *= 2) {
    uint before = l >= d ? sums[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[l] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint before = sums[l] - v.w;
  out[get_global_id(0)] = (uint4)(before, v.x + before, v.y + before, v.z + before);
}
