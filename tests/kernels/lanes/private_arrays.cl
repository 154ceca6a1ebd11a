// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each lane has its own array, with an index of its own.
kernel void sort(global const int* in, global int* out) {
  const int g = get_global_id(0);
  int a[9];
  for (int k = 0; k < 9; ++k) a[k] = in[(g * 9 + k) % 208];
  for (int k = 1; k < 9; ++k) {
    const int x = a[k];
    int j = k;
    for (; j > 0 && a[j - 1] > x; --j) a[j] = a[j - 1];
    a[j] = x;
  }
  out[g] = a[0] * 10000 + a[8];
}

kernel void histogram(global const int* in, global int* out) {
  const int g = get_global_id(0);
  short bins[16] = {0};
  for (int k = 0; k < in[g] % 16; ++k) bins[(in[g] + k * k) & 15] += k;
  int sum = 0;
  for (int k = 0; k < 16; ++k) sum += bins[k] * (k + 1);
  out[g] = sum;
}

kernel void vectors(global const int* in, global int* out) {
  const int g = get_global_id(0);
  int4 a[5];
  for (int k = 0; k < 5; ++k) a[k] = (int4)(k, g, in[g], 7);
  a[in[g] % 5].z = -1;
  int sum = 0;
  for (int k = 0; k < 5; ++k) sum += a[k].z;
  out[g] = sum * 10 + a[(in[g] + 1) % 5].x;
}

struct Pair {
  char small;
  int large;
};
kernel void structs(global const int* in, global int* out) {
  const int g = get_global_id(0);
  struct Pair p[4];
  for (int k = 0; k < 4; ++k) {
    p[k].small = k + g % 3;
    p[k].large = k * 1000 + g;
  }
  out[g] = p[in[g] & 3].large + p[in[g] >> 1 & 3].small;
}

// As much private memory as a vectorised kernel may have, and a sum that takes many vectors at once.
kernel void much(global const int* in, global int* out) {
  const int g = get_global_id(0);
  uint t[16384], x = in[g], s = 0;
  for (int k = 0; k < 16384; ++k) t[k] = x ^ k;
  for (int k = 0; k < in[0] % 7 + 3; ++k) s += t[k * 97];
  out[g] = s;
}
