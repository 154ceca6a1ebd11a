// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the part's first byte to the next part's.
kernel void counts(global const uchar* in, global int* out, int n) {
  int i = get_global_id(0), count = 0;
  for (int k = i * n; k < (i + 1) * n; ++k)
    count += in[k] == 'e';
  out[i] = count;
}
