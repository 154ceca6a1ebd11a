// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes take different cases in each round; one falls through, one goes on to the next round, one leaves.
kernel void cases(global const int* in, global int* out) {
  const int i = get_global_id(0), v = in[i];
  int r = 0;
  for (int a = 0; a < v; ++a) {
    switch ((v + a) % 5) {
    case 0: r += 1; break;
    case 1: r += 10; // fall through
    case 2: r += 100; break;
    case 3: continue;
    default: r += 3;
    }
    r += 1000;
    if (a == 17) return;
    out[i] = r;
  }
}
