// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is expected and assumed (cl_khr_expect_assume) changes no result, whether it comes true or not: only what is
// assumed must be true. `sums` is found by a lit test to run without a loop over lanes.
kernel void sums(global const int* in, global int* out) {
  int i = get_global_id(0);
  int x = in[i];
  __builtin_assume(x >= -100);
  if (__builtin_expect(x > 5, 0)) x = x / 3;
  int sum = 0;
  for (int k = 0; __builtin_expect_with_probability(k < (x & 7), 1, 0.9); k++) {
    __builtin_assume(k < 8);
    if (__builtin_expect((x + k) % 3 == 0, i > 20)) sum += 100;
    sum += k;
  }
  if (x < -100) __builtin_unreachable();
  out[i] = sum;
}

// Wide types, and values instead of truths.
kernel void values(global const int* in, global int* out) {
  int i = get_global_id(0);
  switch (__builtin_expect(in[i] & 3, 2)) {
  case 0: out[i] = 7; break;
  case 2: out[i] = 9; break;
  default: out[i] = (int)__builtin_expect((long)in[i] << 33, 0L) + (int)(__builtin_expect((long)in[i] << 33, 0L) >> 33);
  }
}
