// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --print-after-all -o %t.so 2>&1 | FileCheck --check-prefix=ALL %s
// RUN: %compile %s --skip-passes licm,uniform-versioning --print-after-all -o %t.so 2>&1 | %check
// RUN: not %compile %s --skip-passes nothing -o %t.so 2>&1 | FileCheck --check-prefix=WRONG %s
// RUN: not %compile %s --skip-passes licm,lower-division -o %t.so 2>&1 | FileCheck --check-prefix=NEEDED %s
// Passes, and parts of passes, are left out wherever they would run, but for those that right code needs.

// ALL: ; IR after link-builtins on module
// ALL: ; IR after builtin-properties on module
// ALL: ; IR after call-exchange-loops on function
// ALL: ; IR after loop-simplify on function
// ALL: ; IR after merge-accesses on function
// ALL: ; IR after licm on loop

// CHECK-NOT: ; IR after licm
// CHECK-NOT: define {{.*}}k.fallback
// CHECK: ; IR after merge-accesses on function

// WRONG: there is no pass 'nothing'
// NEEDED: the pass 'lower-division' cannot be skipped
kernel void k(global float* a, global const float* b, int n) {
  const size_t i = get_global_id(0);
  float sum = 0;
  if (i < n)
    for (int j = 0; j < n; ++j) sum += b[j] * a[i];
  a[i] = sum;
}
