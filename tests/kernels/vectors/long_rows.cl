// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long rows of instructions with vectors that fill the processor's, in loops that find something now and then: searches
// for hashes. Each also computes with scalars what it finds, and counts the differences.
#define STEP(T, k) a = b + rotate(a + (d ^ (b & (c ^ d))) + (T)(key + k * 77), (T)(7 + k % 13)), t = d, d = c, c = b, b = a, a = t;
#define STEPS8(T, k) \
  STEP(T, k) STEP(T, k + 1) STEP(T, k + 2) STEP(T, k + 3) STEP(T, k + 4) STEP(T, k + 5) STEP(T, k + 6) STEP(T, k + 7)
#define STEPS(T) STEPS8(T, 0) STEPS8(T, 8)

uint hash(uint word, uint key) {
  uint a = word, b = 1, c = 2, d = 3, t;
  STEPS(uint)
  return b;
}

kernel void search(global const uint* keys, int rounds, global int* found, global int* seen, global int* wrong) {
  const uint key = keys[get_global_id(0)];
  for (int i = 0; i < rounds; i += N) {
    V a = (V)(i) + COUNT, b = 1, c = 2, d = 3, t;
    STEPS(V)
    const uint* element = (const uint*)&b;
    __attribute__((opencl_unroll_hint(1))) for (int j = 0; j < N; ++j) {
      if (element[j] % 16 != 3) continue;
      if (i + j >= rounds) continue;
      if (element[j] != hash(i + j, key)) atomic_inc(wrong);
      atomic_inc(&found[get_global_id(0)]);
      if (atomic_inc(&seen[element[j] / 16 % 8]) == 0) atomic_inc(&seen[8]);
    }
  }
  int expected = 0;
  for (int i = 0; i < rounds; ++i)
    expected += hash(i, key) % 16 == 3;
  if (found[get_global_id(0)] != expected) atomic_inc(wrong);
}
