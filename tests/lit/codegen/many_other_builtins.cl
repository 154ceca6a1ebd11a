// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long builtins that have no variant for vectors count like others: beyond the budget they are called, a lane at a time.
// RUN: %compile --cpu x86-64-v4 %s -o %t.so
// RUN: find %t.so -size -1000 | %check
// REQUIRES: x86
#define FIVE(x) x; x; x; x; x
#define HUNDRED(x) FIVE(FIVE(x; x; x; x))

// Blocks of 512 bytes; inlined, the code would take megabytes and a minute.
// CHECK: many_other_builtins
kernel void sines(global float* a) {
  const size_t i = get_global_id(0);
  float x = a[i], sum = 0, c;
  HUNDRED(x += 0.25f; sum += sincos(x, &c) + c; sum += sincos(x + 1, &c) * c);
  a[i] = sum;
}
kernel void lengths(global float4* a) {
  const size_t i = get_global_id(0);
  float4 x = a[i];
  HUNDRED(x += normalize(x + 1); x = normalize(x));
  a[i] = x;
}
