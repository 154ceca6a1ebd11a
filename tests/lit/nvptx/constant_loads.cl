// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check

// Memory that no work-item writes is read by way of the read-only cache: constant memory, and what restricted pointers
// lead to that are only read. It is global memory all the same.
// CHECK: .global .align 4 .b8 table[16]
constant float table[4] = {1, 2, 3, 4};

// CHECK: .visible .entry reads(
// CHECK: ld.global.nc.b32
// CHECK: ld.global.nc.b32
// CHECK: ld.global.nc.b32
kernel void reads(global float* restrict out, constant float* a, const global float* restrict b, int n) {
  const int i = get_local_id(0);
  out[i] = a[i] + b[i] + table[n & 3];
}

// CHECK: .visible .entry may_be_written(
// CHECK-NOT: ld.global.nc
kernel void may_be_written(global float* out, const global float* a, global float* restrict b) {
  const int i = get_local_id(0);
  out[i] = a[i] + b[i];
  b[i + 1] = a[i + 1];
}
