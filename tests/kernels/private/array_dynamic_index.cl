// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void index(global const int* in, global int* out) {
  int table[16];
  const int i = get_global_id(0);
  for (int k = 0; k < 16; ++k) table[(k * 5 + in[i]) & 15] = k;
  out[i] = table[(in[i] * 7) & 15] + 100 * table[i & 15];
}
