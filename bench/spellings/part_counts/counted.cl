// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A byte by the number of its part and its place there.
kernel void counts(global const uchar* in, global int* out, int n) {
  int i = get_global_id(0), count = 0;
  for (int k = 0; k < n; ++k)
    if (in[i * n + k] == 'e') ++count;
  out[i] = count;
}
