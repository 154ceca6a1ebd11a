// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last part may be shorter.
kernel void counts(global const uchar* in, global int* out, uint n) {
  uint begin = get_global_id(0) * n, end = min(begin + n, (uint)get_global_size(0) * n), count = 0;
  for (uint k = begin; k < end; ++k)
    count += in[k] == 'e';
  out[get_global_id(0)] = count;
}
