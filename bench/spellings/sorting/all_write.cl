// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitonic sort of a block; every work-item takes the smaller or the larger of its pair.
kernel void sort(global const uint* in, global uint* out) {
  local uint a[256];
  int l = get_local_id(0);
  a[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 1; k < 256; k <<= 1) {
    bool direction = (l & (k << 1)) != 0;
    for (int j = k; j > 0; j >>= 1) {
      int other = l ^ j;
      uint mine = a[l], theirs = a[other];
      bool smaller = theirs < mine || (theirs == mine && other < l);
      bool swap = smaller ^ (other < l) ^ direction;
      barrier(CLK_LOCAL_MEM_FENCE);
      a[l] = swap ? theirs : mine;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  out[get_global_id(0)] = a[l];
}
