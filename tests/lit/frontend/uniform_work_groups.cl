// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --emit=portable | %check --check-prefix=UNIFORM
// RUN: %compile %s --options "-cl-std=CL1.1" --emit=portable | %check --check-prefix=UNIFORM
// RUN: %compile %s --options "-cl-std=CL3.0 -cl-uniform-work-group-size" --emit=portable | %check --check-prefix=UNIFORM
// RUN: %compile %s --options "-cl-std=CL2.0" --emit=portable | %check --check-prefix=ANY
// RUN: %compile %s --options "-cl-std=CL3.0" --emit=portable | %check --check-prefix=ANY
// The portable module says whether all work-groups must have one size; programs that it is linked into take that over.
// UNIFORM: !{i32 7, !"clotho.uniform-work-groups", i32 1}
// ANY-NOT: clotho.uniform-work-groups
kernel void k(global int* a) { a[get_global_id(0)] = 1; }
