// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batcher's odd-even merge sort of a block of two keys a work-item.
void exchange(local uint* a, uint i, uint k) {
  uint low = a[i], high = a[k];
  if (low > high) {
    a[i] = high;
    a[k] = low;
  }
}

kernel void sort(global const uint* in, global uint* out) {
  local uint a[256];
  const uint l = get_local_id(0), first = get_group_id(0) * 256;
  a[l] = in[first + l];
  a[l + 128] = in[first + l + 128];
  for (uint size = 2; size <= 256; size <<= 1) {
    uint stride = size / 2, offset = l & (stride - 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint pos = 2 * l - (l & (stride - 1));
    exchange(a, pos, pos + stride);
    for (stride >>= 1; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      pos = 2 * l - (l & (stride - 1));
      if (offset >= stride)
        exchange(a, pos - stride, pos);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + l] = a[l];
  out[first + l + 128] = a[l + 128];
}
