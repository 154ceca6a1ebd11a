// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu x86-64-v3 --options -cl-opt-disable --emit=llvm | %check
// Also without optimisation.
// CHECK: %[[D:divisor.*]] = select i1 %{{.*}}, i32 1, i32 %{{.*}}
// CHECK: sdiv i32 %{{.*}}, %[[D]]
kernel void k(global int* a) { a[0] = a[1] / a[2]; }
