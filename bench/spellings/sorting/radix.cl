// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Radix sort of a block, a bit at a time; zeros go before ones by a scan.
kernel void sort(global const uint* in, global uint* out) {
  local uint a[256], sums[256];
  uint l = get_local_id(0);
  uint mine = in[get_global_id(0)];
  for (uint bit = 0; bit < 32; ++bit) {
    uint zero = !((mine >> bit) & 1);
    sums[l] = zero;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < 256; d *= 2) {
      uint before = l >= d ? sums[l - d] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      sums[l] += before;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint zeros = sums[255], before = sums[l] - zero;
    a[zero ? before : zeros + l - before] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    mine = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = mine;
}
