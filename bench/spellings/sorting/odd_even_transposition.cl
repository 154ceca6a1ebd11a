// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbours are compared, in as many steps as there are keys.
kernel void sort(global const uint* in, global uint* out) {
  local uint a[256];
  uint l = get_local_id(0);
  a[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 0; step < 256; ++step) {
    if ((l + step) % 2 == 0 && l + 1 < 256) {
      uint x = a[l], y = a[l + 1];
      if (x > y) {
        a[l] = y;
        a[l + 1] = x;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = a[l];
}
