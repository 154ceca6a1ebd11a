// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %compile %s 2>&1 | %check
// CHECK: <source>:6:10: error: use of undeclared identifier 'missing'
// CHECK-NEXT: 6 |   a[0] = missing;
kernel void k(global int* a) {
  a[0] = missing;
}
