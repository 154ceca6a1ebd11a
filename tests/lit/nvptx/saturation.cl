// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check

// Narrow sums that saturate are limited, not tested for overflow.
// CHECK: .visible .entry signed_sum(
// CHECK: add.s32
// CHECK-NOT: setp
// CHECK-DAG: max.s32 {{.*}}, -32768;
// CHECK-DAG: min.s32 {{.*}}, 32767;
// CHECK: ret;
kernel void signed_sum(global short* a, short b) { a[get_global_id(0)] = add_sat(a[get_global_id(0)], b); }

// CHECK: .visible .entry unsigned_difference(
// CHECK: sub.s32
// CHECK: max.s32 {{.*}}, 0;
// CHECK-NOT: setp
// CHECK: ret;
kernel void unsigned_difference(global uchar* a, uchar b) { a[get_global_id(0)] = sub_sat(a[get_global_id(0)], b); }
