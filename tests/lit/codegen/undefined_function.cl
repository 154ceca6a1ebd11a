// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %compile %s 2>&1 | %check
// CHECK: error: the function 'elsewhere' is used but not defined
int elsewhere(int);
kernel void k(global int* a) { a[0] = elsewhere(a[1]); }
