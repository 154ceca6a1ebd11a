// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each byte's index is compared with the data's end.
kernel void counts(global const uchar* in, global int* out, int n) {
  int i = get_global_id(0), all = get_global_size(0) * n, count = 0;
  for (int k = i * n; k < i * n + n; ++k)
    if (k < all && in[k] == 'e') ++count;
  out[i] = count;
}
