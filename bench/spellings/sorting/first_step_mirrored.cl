// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitonic sort of a block in which all pairs go up: the first step of each round pairs mirror images.
kernel void sort(global const uint* in, global uint* out) {
  local uint a[256];
  uint l = get_local_id(0);
  a[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 2; k <= 256; k *= 2) {
    uint other = l ^ (k - 1);
    for (uint j = k / 2; j > 0; j /= 2) {
      if (l < other && a[l] > a[other]) {
        uint t = a[l];
        a[l] = a[other];
        a[other] = t;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      other = l ^ (j / 2);
    }
  }
  out[get_global_id(0)] = a[l];
}
