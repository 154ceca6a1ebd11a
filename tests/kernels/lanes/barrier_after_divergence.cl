// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes part, come together at a barrier, and go on; groups of odd size.
kernel void neighbours(global const int* in, global int* out, local int* t) {
  const int l = get_local_id(0), g = get_global_id(0), n = get_local_size(0);
  int v = 0;
  if (in[g] & 1) {
    for (int k = 0; k < in[g] % 11; ++k) v += k;
  } else if (in[g] & 2) {
    v = -in[g];
  }
  t[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  int r = t[(l + 1) % n];
  if (r > 0)
    for (int k = 0; k < r % 3; ++k) r += 1000;
  barrier(CLK_LOCAL_MEM_FENCE);
  t[n - 1 - l] = r;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = t[l] * 2 + v;
}
