// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A state of 64 bits for each work-item; counts points in the quarter of a circle.
kernel void count_inside(global const ulong* seeds, global uint* counts, int points) {
  size_t i = get_global_id(0);
  ulong state = seeds[i];
  uint inside = 0;
  for (int p = 0; p < points; p++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    uint x = (uint)(state >> 48), y = (uint)(state >> 16) & 0xFFFF;
    if ((ulong)x * x + (ulong)y * y < (1UL << 32))
      inside++;
  }
  counts[i] = inside;
}
