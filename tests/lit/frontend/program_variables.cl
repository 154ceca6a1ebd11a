// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --options "-cl-std=CL3.0" --emit=info | %check
// CHECK: variables: 20 bytes, writable true
global int counter = 3;
global int table[4];
constant int fixed = 7;
kernel void k(global int* a) { a[0] = counter++ + table[a[1]] + fixed; }
