// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_80 --emit asm --options "-cl-std=CL3.0 -g" %s | %check
// RUN: %compile --gpu sm_80 --emit asm --options "-cl-std=CL3.0" %s | FileCheck %s --check-prefix=NONE
// With -g, code has the lines of the source as directives, and no more: PTX for debuggers is not optimised.
// CHECK-NOT: .target {{.*}}debug
// NONE-NOT: .loc

int twice(int x) {
  return 2 * x;
}

// CHECK: .visible .entry doubles(
// CHECK: .loc {{[0-9]+}} 17
// CHECK: ld.global.b32
// CHECK: .loc {{[0-9]+}} 9
// CHECK: ret;
kernel void doubles(global int* a) { a[get_global_id(0)] = twice(a[get_global_id(0)]); }

// A kernel that another one calls, too, is of one function only.
kernel void again(global int* a) { doubles(a); }
// CHECK-NOT: .section{{.*}}debug_info
