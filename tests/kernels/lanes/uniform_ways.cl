// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices that come together after a branch which all lanes take alike, alone, in loops and in divergent regions.
kernel void joined(global const int* in, global int* out, int mode) {
  const int g = get_global_id(0), n = get_global_size(0);
  int at;
  if (mode == 0) at = g;
  else if (mode == 1) at = n - 1 - g;
  else at = (g + mode) & 127;
  out[g] = in[at] * 10 + (at == 5);
}
kernel void sameStride(global const int* in, global int* out, int mode) {
  const int g = get_global_id(0);
  int at = g, by = mode;
  if (mode > 1) {
    at = g + 7;
    if (mode == 3) at = g + 13;
    by = 0;
  }
  out[g] = in[at] + by;
}
kernel void inLoop(global const int* in, global int* out, int mode) {
  const int g = get_global_id(0);
  int sum = 0;
  for (int i = 0; i < 9; ++i) {
    int at = g + i;
    if ((i ^ mode) & 1) at = g + 2 * i;
    if (in[g] % 3 == i % 3) continue;
    sum += in[at];
    if (sum > 150) break;
  }
  out[g] = sum;
}
kernel void inDivergentBranch(global const int* in, global int* out, int mode) {
  const int g = get_global_id(0);
  int at = 3;
  if (in[g] & 1) {
    int there = g;
    if (mode) there = g + 5;
    else out[g + 144] = there;
    at = there + 1;
  }
  out[g] = in[at];
}
kernel void movingPointer(global const int* in, global int* out, int mode) {
  const int g = get_global_id(0);
  global const int* p = in + g;
  for (int i = 0; i < 5; ++i) {
    if (mode & 1 << i) p += 4;
    else p += 1;
  }
  out[g] = *p;
}
