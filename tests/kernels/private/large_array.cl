// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void large(global const int* in, global int* out) {
  int own[1024];
  const int i = get_global_id(0);
  for (int k = 0; k < 1024; ++k) own[k] = k ^ i;
  int at = in[i] & 1023;
  for (int k = 0; k < 50; ++k) at = own[at] * 7 + 1 & 1023;
  out[i] = own[(i * 31) & 1023];
  if (at < 0) out[i] = -1;
}
