// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds that may wrap around.
kernel void counts(global const uchar* in, global int* out, uint n) {
  uint begin = get_global_id(0) * n, end = begin + n, count = 0;
  for (uint k = begin; k < end; ++k)
    count += in[k] == 'e' ? 1 : 0;
  out[begin / n] = count;
}
