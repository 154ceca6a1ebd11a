// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last part may be shorter, by a condition and 64-bit numbers.
kernel void counts(global const uchar* in, global int* out, int n) {
  size_t begin = get_global_id(0) * n, end = begin + n, all = get_global_size(0) * n;
  int count = 0;
  for (size_t k = begin; k < (end < all ? end : all); ++k)
    count += in[k] == 'e';
  out[get_global_id(0)] = count;
}
