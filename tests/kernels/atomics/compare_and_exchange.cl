// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product by a compare-and-exchange loop, and float addition the same way.
kernel void product(global int* total, global float* sum, global const int* in) {
  const int v = in[get_global_id(0)];
  int seen = *total, expected;
  do {
    expected = seen;
    seen = atomic_cmpxchg(total, expected, expected * v);
  } while (seen != expected);
  union { float f; int i; } before, after;
  do {
    before.f = *(volatile global float*)sum;
    after.f = before.f + v;
  } while (atomic_cmpxchg((volatile global int*)sum, before.i, after.i) != before.i);
}
