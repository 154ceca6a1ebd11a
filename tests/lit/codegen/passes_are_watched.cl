// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --print-before vectorise --print-after lower-division,whole-stores -o %t.so 2>&1 | %check
// RUN: %compile %s --print-after-all --options "-clotho-width=4" -o %t.so 2>&1 | FileCheck --check-prefix=ALL %s
// RUN: %compile %s --time-passes -o %t.so 2>&1 | FileCheck --check-prefix=TIMES %s
// RUN: not %compile %s --print-after nothing -o %t.so 2>&1 | FileCheck --check-prefix=WRONG %s
// Our passes and LLVM's are seen by their names while a program is built, also a second time: linking in between sets
// LLVM's own options back.
// RUN: %compile %s --print-after lower-printf --repeat 2 -o %t.so 2>&1 | FileCheck --check-prefix=AGAIN %s

// CHECK: ; IR after lower-division on function k
// CHECK: define {{.*}}@k(
// CHECK: ; IR before vectorise on module
// CHECK: define {{.*}}spir_kernel void @k(
// CHECK: ; IR after whole-stores on function clotho_wg_k

// ALL: ; IR after lower-work-item on module
// ALL: ; IR after sroa on function
// ALL: ; IR after vectorise on module
// ALL: ; IR after licm on loop at
// ALL: ; IR after lower-half-atomics on function

// TIMES: Pass execution timing report
// TIMES: VectoriseKernelsPass

// WRONG: clotho: there is no pass 'nothing'

// AGAIN: ; IR after lower-printf on module
// AGAIN: ; IR after lower-printf on module
// AGAIN-NOT: ; IR after
kernel void k(global float* a, global const float* b, int n) {
  const size_t i = get_global_id(0);
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += b[j] * a[i];
  a[i] = sum;
}
