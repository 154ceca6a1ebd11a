// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sixteen bytes at once.
kernel void counts(global const uchar* in, global int* out, int n) {
  int i = get_global_id(0), count = 0;
  for (int k = 0; k < n / 16; ++k) {
    char16 hits = vload16(i * n / 16 + k, in) == (uchar16)'e';
    char8 eight = hits.lo + hits.hi;
    char4 four = eight.lo + eight.hi;
    count -= four.x + four.y + four.z + four.w;
  }
  out[i] = count;
}
