// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds that are in memory, in a struct, or known in a loop only; many bounds; bounds that depend on each other.
typedef struct { int w; short pad; int lo, hi; } limits;

kernel void fromMemory(global const int* in, global int* out, global const int* bound) {
  const int g = get_global_id(0);
  const int at = clamp(g - 3, bound[0], bound[1]);
  const int further = min(at + 2, 120);
  out[g] = in[at] * 1000 + in[further < 9 ? 9 : further] + (further == 50);
}
kernel void fromStruct(global const int* in, global int* out, limits l) {
  const int g = get_global_id(0);
  out[g] = -1;
  if (g < l.w) out[g] = in[clamp(g - 3, l.lo, l.hi)];
}
kernel void nested(global const int* in, global int* out, int a, int b) {
  const int g = get_global_id(0);
  const int first = max(g - 5, a), second = min(first + 3, b), third = second == b ? a : second;
  out[g] = in[third] + (third > 64 ? 1000 : 2000);
}
kernel void inLoop(global const int* in, global int* out, int a) {
  const int g = get_global_id(0), n = get_global_size(0);
  int sum = 0;
  for (int i = 0; i < a; ++i) {
    sum += in[min(g + i, n - 1)];
    if (g - i >= 0) sum += in[g - i];
    if (g == i * 5) sum += 1000;
  }
  out[g] = sum;
}
kernel void many(global const int* in, global int* out) {
  const int g = get_global_id(0), n = get_global_size(0);
  int sum = 0;
#pragma unroll
  for (int i = 1; i <= 40; ++i) {
    if (g >= i) sum += in[g - i];
    if (g + i < n) sum -= in[g + i];
  }
  out[g] = sum;
}
// The guard decides which way a divergent value goes.
kernel void mixed(global const int* in, global int* out, int a) {
  const int g = get_global_id(0);
  int r = in[g];
  if (g < a && (r & 1)) r += in[g + 1];
  else if (g >= 100 || r == 8) r -= 5;
  while (r > 20 && g > 2) r -= g < 50 ? 7 : 9;
  out[g] = r;
}
kernel void atomics(global int* count, global int* out, int a) {
  const int g = get_global_id(0);
  if (g < a) atomic_add(count, g);
  else atomic_inc(count + 1);
  if (g == a) out[0] = g;
  if (g >= 1) out[g] = g == a + 1 ? 5 : -g;
}
