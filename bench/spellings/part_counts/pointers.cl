// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers instead of indices.
kernel void counts(global const uchar* in, global int* out, int n) {
  int i = get_global_id(0), count = 0;
  global const uchar* end = in + (i + 1) * n;
  for (global const uchar* p = in + i * n; p < end; ++p)
    if (*p == 'e') count++;
  out[i] = count;
}
