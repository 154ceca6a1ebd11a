// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check --check-prefixes=CHECK,UNIFORM
// RUN: %compile --gpu sm_90 --emit asm --options -cl-std=CL3.0 %s | %check --check-prefixes=CHECK,ENDS
// RUN: %compile --gpu sm_90 --emit info --options -cl-kernel-arg-info %s | FileCheck %s --check-prefix=INFO

// The launch is the first parameter; the second is the argument block, which is missing if there are no arguments.
typedef struct { float a; int4 b; double c[3]; } S;

// CHECK: .version
// CHECK: .target sm_90
// CHECK: .visible .entry structure(
// CHECK-NEXT: .param .align 8 .b8 structure_param_0[160],
// CHECK-NEXT: .param .align 16 .b8 structure_param_1[88]
// CHECK: ld.param.b64 %rd{{[0-9]+}}, [structure_param_1];
// CHECK: ld.param.b32 %r{{[0-9]+}}, [structure_param_1+16];
kernel void structure(global double* out, S s, int k) { out[get_local_id(0)] = s.a + k; }

// CHECK: .visible .entry none(
// CHECK-NEXT: .param .align 8 .b8 none_param_0[160]
// CHECK-NEXT: )
kernel void none() {}

// Elements that an index chooses are read from the parameter, not from a copy.
// CHECK: .visible .entry indexed(
// CHECK-NOT: .local
// CHECK: ld.param.b64 %rd{{[0-9]+}}, [%rd{{[0-9]+}}+48];
kernel void indexed(global double* out, S s) { out[get_local_id(0)] = s.c[get_local_id(0)]; }

// The size is that of all work-groups, unless these may be smaller at the end of a launch.
// CHECK: .visible .entry sized(
// UNIFORM: .reqntid 8, 4, 1
// ENDS: .maxntid 8, 4, 1
__attribute__((reqd_work_group_size(8, 4, 1))) kernel void sized(global int* out) { out[get_local_id(2)] = 1; }

// INFO: kernel structure: symbol structure,
// INFO-SAME: block 88,
