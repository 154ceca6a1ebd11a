// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void pointers(global int* data, global int* out) {
  global int* p = data + get_global_id(0);
  global int* end = data + get_global_size(0);
  const ptrdiff_t left = end - p;
  out[get_global_id(0)] = (int)left * 100 + *(p + left / 2 - (left > 1 ? 0 : 0)) % 100 + (p < end) * 100000 + (int)sizeof(size_t) * 1000000;
}
