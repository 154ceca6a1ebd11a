// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitonic sort of a block; the partner's index by exclusive or, one of each pair of work-items does the work.
kernel void sort(global const uint* in, global uint* out) {
  local uint a[256];
  uint l = get_local_id(0);
  a[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 2; k <= 256; k *= 2)
    for (uint j = k / 2; j > 0; j /= 2) {
      uint other = l ^ j;
      if (other > l) {
        bool up = (l & k) == 0;
        if ((a[l] > a[other]) == up) {
          uint t = a[l];
          a[l] = a[other];
          a[other] = t;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  out[get_global_id(0)] = a[l];
}
