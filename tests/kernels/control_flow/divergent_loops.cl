// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trip counts differ from item to item; break, continue and return inside.
kernel void loops(global const int* in, global int* out) {
  const int i = get_global_id(0);
  int sum = 0;
  out[i] = -1;
  for (int a = 0; a < in[i]; ++a) {
    if (a == 13) return;
    int b = a;
    while (true) {
      if (b++ % 4 == 3) break;
      if (b & 1) continue;
      sum += b;
    }
    sum += a;
  }
  out[i] = sum;
}
