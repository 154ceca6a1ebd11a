// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --bisect-limit -1 --emit obj -o %t.all.o 2>&1 | %check
// RUN: %compile %s --emit obj -o %t.usual.o && cmp %t.usual.o %t.all.o
// RUN: %compile %s --bisect-limit 12 -o %t.so 2>&1 | FileCheck --check-prefix=FEW %s
// RUN: %compile %s --bisect-limit 0 --emit asm 2>&1 | FileCheck --check-prefix=NONE %s
// Passes beyond the limit do not run, but what correctness needs does.

// CHECK: BISECT: running pass (1) limit-images on module
// CHECK-NOT: NOT running
// CHECK: BISECT: running pass ({{[0-9]+}}) narrow-arithmetic on function k
// CHECK-NOT: lower-printf
// CHECK: BISECT: running pass ({{[0-9]+}}) wide-masks on function
// FEW: BISECT: running pass (12)
// FEW: BISECT: NOT running pass (13)
// NONE-NOT: BISECT: running
// NONE: clotho_wg_k:
kernel void k(global float* a, global const float* b, local float* t, int n) {
  const size_t i = get_global_id(0), l = get_local_id(0);
  switch (n) {
    case 1: t[l] = a[i]; break;
    case 5: t[l] = b[i]; break;
    default: t[l] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int j = 0; j < n && t[j] < 7; ++j) sum += b[j] * t[j];
  a[i] = sum;
  printf("%d %f\n", n / (int)i, sum);
}
