// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitonic sort of a block of two keys a work-item without branches; places by division.
kernel void sort(global const uint* in, global uint* out, local uint* a) {
  size_t l = get_local_id(0), first = get_group_id(0) * 256;
  a[2 * l] = in[first + 2 * l];
  a[2 * l + 1] = in[first + 2 * l + 1];
  for (uint k = 2; k <= 256; k *= 2)
    for (uint j = k / 2; j > 0; j /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint i = l / j * 2 * j + l % j;
      uint x = a[i], y = a[i + j], low = min(x, y), high = max(x, y);
      bool up = !(i & k);
      a[i] = up ? low : high;
      a[i + j] = up ? high : low;
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + 2 * l] = a[2 * l];
  out[first + 2 * l + 1] = a[2 * l + 1];
}
