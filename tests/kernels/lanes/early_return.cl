// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Returns from within branches and loops; what a lane has written stays.
kernel void root(global const int* in, global int* out) {
  const int i = get_global_id(0), v = in[i];
  if (v == 0) return;
  out[i] = -2;
  if (v < 0) {
    if (v < -5) return;
    out[i] = -3;
    return;
  }
  for (int a = 1; a < 20; ++a)
    if (a * a > v) {
      out[i] = a;
      return;
    }
  out[i] = -4;
}
