// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences whose minuend is a constant of the caller, compared where they are made.
__attribute__((noinline)) uint least(uint length, uint done, uint wanted) { return min(length, wanted - done); }
__attribute__((noinline)) int most(int length, int done, int wanted) { return max(wanted - done, length); }
__attribute__((noinline)) int positive(int done, int wanted) { return max(wanted - done, 0); }
__attribute__((noinline)) uint chosen(uint length, uint done, uint wanted) {
  const uint left = wanted - done;
  return left > length ? length + 1 : left;
}

#define KERNEL(WANTED)                                                                                    \
  kernel void wanted##WANTED(global const int* in, global uint* a, global int* b, global int* c,          \
                             global uint* d) {                                                            \
    const size_t i = get_global_id(0);                                                                    \
    a[i] = least(3, in[i], WANTED);                                                                       \
    b[i] = most(-2, in[i], WANTED);                                                                       \
    c[i] = positive(in[i], WANTED);                                                                       \
    d[i] = chosen(3, in[i], WANTED);                                                                      \
  }
KERNEL(2)
KERNEL(5)
