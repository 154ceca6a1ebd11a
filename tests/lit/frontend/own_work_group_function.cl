// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --options "-cl-std=CL2.0" --emit=info -o /dev/null
// RUN: %compile %s --options "-cl-std=CL3.0" --emit=info -o /dev/null
// RUN: %compile %s --options "-cl-std=CL1.2" --emit=info -o /dev/null
// A program may have functions of its own by names that an extension gives to builtins.
int work_group_reduce_mul(int x) { return x * 3; }
kernel void k(global int* a) { a[0] = work_group_reduce_mul(a[0]); }
