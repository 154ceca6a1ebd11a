// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large enough to be compiled in parts, which call each other and share variables.
constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
constant int* constant second = &primes[1];
global int table[4] = {1, 2, 3, 4};
global int runs;

__attribute__((noinline)) int mixed(int x, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    x = x * 5 + primes[i & 7];
    x ^= x >> 3;
  }
  return x;
}

/// What the vectors below compute, an element at a time.
__attribute__((noinline)) int plain(int i) {
  int sum = 0, all = 0;
  for (int c = 0; c < 4; ++c) {
    int v = i + c;
    for (int k = 0; k < 32; ++k) {
      v = v * primes[k & 7] + (v ^ k);
      sum += (int)rotate((uint)v, (uint)k) % primes[k % 7];
    }
    all ^= v;
  }
  return mixed(all, 9) + sum;
}

// Unrolled by hand: hundreds of vectors' work.
#define STEP(k)                                                                                                        \
  v = v * primes[(k) & 7] + (v ^ (k));                                                                                 \
  w += as_int4(rotate(as_uint4(v), (uint4)(k))) % (int4)(primes[(k) % 7]);
#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4) STEP(k + 5) STEP(k + 6) STEP(k + 7)

kernel void large(global int* out, global int* known) {
  int i = get_global_id(0);
  int4 v = i + (int4)(0, 1, 2, 3), w = 0;
  STEPS(0) STEPS(8) STEPS(16) STEPS(24)
  int sum = mixed(v.x ^ v.y ^ v.z ^ v.w, 9) + w.x + w.y + w.z + w.w;
  out[i] = sum - plain(i);
  atomic_inc(&runs);
  known[i] = 10 * table[i & 3] + second[0] + (second - 1 == primes) + (runs > 0);
}

// This kernel uses variables and functions of other parts; it is enough that it can be built.
kernel void others(global int* out) {
  table[0] = 9;
  out[0] = mixed(out[1], runs) + *second;
}
