// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merge sort of a block: each work-item finds its key's place in the other run by bisection.
kernel void sort(global const uint* in, global uint* out) {
  local uint a[256];
  uint l = get_local_id(0);
  a[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint run = 1; run < 256; run *= 2) {
    uint mine = a[l], other = (l ^ run) & ~(run - 1);
    bool second = l & run;
    uint low = 0, high = run;
    while (low < high) {
      uint middle = (low + high) / 2;
      uint theirs = a[other + middle];
      if (theirs < mine || (second && theirs == mine))
        low = middle + 1;
      else
        high = middle;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[(l & ~(2 * run - 1)) + (l & (run - 1)) + low] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = a[l];
}
