// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each work-item has counters in private memory, and takes bytes that lie one after the other.
kernel void count(global const uchar* in, global uint* counts, int each) {
  uint bins[256];
  for (int i = 0; i < 256; ++i)
    bins[i] = 0;
  global const uchar* mine = in + get_global_id(0) * each;
  for (int i = 0; i < each; ++i)
    bins[mine[i]]++;
  for (int i = 0; i < 256; ++i)
    if (bins[i])
      atomic_add(counts + i, bins[i]);
}
