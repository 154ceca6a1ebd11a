// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitonic sort of a block of two keys a work-item, with a function that compares and exchanges.
void exchange(local uint* a, local uint* b, uint direction) {
  if ((*a > *b) == direction) {
    uint t = *a;
    *a = *b;
    *b = t;
  }
}

kernel void sort(global const uint* in, global uint* out) {
  local uint a[256];
  in += get_group_id(0) * 256 + get_local_id(0);
  out += get_group_id(0) * 256 + get_local_id(0);
  a[get_local_id(0)] = in[0];
  a[get_local_id(0) + 128] = in[128];
  for (uint size = 2; size < 256; size <<= 1) {
    uint direction = (get_local_id(0) & (size / 2)) == 0;
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint pos = 2 * get_local_id(0) - (get_local_id(0) & (stride - 1));
      exchange(&a[pos], &a[pos + stride], direction);
    }
  }
  for (uint stride = 128; stride > 0; stride >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint pos = 2 * get_local_id(0) - (get_local_id(0) & (stride - 1));
    exchange(&a[pos], &a[pos + stride], 1);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[0] = a[get_local_id(0)];
  out[128] = a[get_local_id(0) + 128];
}
