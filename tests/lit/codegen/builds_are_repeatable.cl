// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --emit=so -o %t.once
// RUN: %compile %s --emit=so --repeat 3 -o %t.again
// RUN: cmp %t.once %t.again
// What one build leaves behind in LLVM changes no later one: lld sets LLVM's options back, so none may be needed.
kernel void shorts(global const short* t, global const int* index, global int* out, int n) {
  const int g = get_global_id(0);
  int sum = 0;
  for (int i = 0; i < n; i++) {
    int k = index[g * n + i];
    if (k < 0) break;
    sum += k & 1 ? t[k] * i : max((uint)k >> 3, (uint)i) + (g >= 14 ? index[g - 14] : 5);
  }
  out[g] = sum;
}
