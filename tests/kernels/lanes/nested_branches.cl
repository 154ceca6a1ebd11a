// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches in branches, with loops inside that all lanes there run equally often, and some that they do not.
kernel void nest(global const int* in, global int* out, int m) {
  const int i = get_global_id(0), v = in[i];
  int r = 0;
  if (v & 1) {
    for (int u = 0; u < m; ++u) r += v + u;
    if (v & 2) {
      for (int u = 0; u < v % 5; ++u) r += u * u;
    } else {
      r -= 1;
    }
    r += 100000;
  } else if (v & 4) {
    for (int u = 0; u < m; ++u) {
      if (u == v % 7) break;
      r += u;
    }
    r += 200000;
  } else {
    r = v * 2;
  }
  out[i] = r;
}

// A branch on what all lanes share, where only some lanes are; stores from both sides.
kernel void shared(global const int* in, global int* out, int m) {
  const int i = get_global_id(0);
  out[i] = -1;
  if (in[i] % 3 == 0) {
    if (m == 5) {
      for (int u = 0; u < m; ++u) out[i] = in[i] + u;
    } else {
      out[i] = 9999;
    }
  }
}
