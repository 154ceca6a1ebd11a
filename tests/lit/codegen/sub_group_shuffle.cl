// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu znver4 --options "-cl-std=CL3.0" --emit=asm | %check
// RUN: %compile %s --cpu x86-64-v3 --options "-cl-std=CL3.0" --emit=asm | FileCheck --check-prefix=AVX2 %s
// A shuffle of 16 floats is one instruction, a broadcast one or two.

// CHECK-LABEL: any.cl:
// CHECK: vmovups ({{.*}}), %[[FROM:zmm[0-9]+]]
// CHECK-NEXT: vpermps ({{.*}}), %[[FROM]], %[[TO:zmm[0-9]+]]
// CHECK: testq
// CHECK-NEXT: jne
// CHECK-NEXT: vmovntps %[[TO]], (
// AVX2-LABEL: any.cl:
// AVX2-COUNT-4: vperm{{ps|d}}
// AVX2-NOT: vperm{{ps|d}}
// AVX2-LABEL: any.predicated.cl:
kernel void any(global float* restrict a, global const uint* restrict from, global float* restrict out) {
  size_t i = get_global_id(0);
  out[i] = sub_group_shuffle(a[i], from[i]);
}

// CHECK-LABEL: xored.cl:
// CHECK: vpermilps {{.*}}({{.*}}), %[[TO:zmm[0-9]+]]
// CHECK: testq
// CHECK-NEXT: jne
// CHECK-NEXT: vmovntps %[[TO]], (
kernel void xored(global float* restrict a, global float* restrict out) {
  size_t i = get_global_id(0);
  out[i] = sub_group_shuffle_xor(a[i], 1);
}

// CHECK-LABEL: up.cl:
// CHECK: vpermps ({{.*}}), %zmm{{[0-9]+}}, %[[TO:zmm[0-9]+]]
// CHECK: testq
// CHECK-NEXT: jne
// CHECK-NEXT: vmovntps %[[TO]], (
kernel void up(global float* restrict a, global float* restrict out) {
  size_t i = get_global_id(0);
  out[i] = sub_group_shuffle_up(a[i], 1);
}

// CHECK-LABEL: lane.cl:
// CHECK: vmovups ({{.*}}), %[[A:zmm[0-9]+]]
// CHECK: vpermps %[[A]], %zmm{{[0-9]+}}, %[[FOUND:zmm[0-9]+]]
// CHECK-NEXT: vbroadcastss %{{.*}}, %[[ALL:zmm[0-9]+]]
// CHECK-NEXT: vaddps {{.*}}%[[ALL]]
kernel void lane(global float* restrict a, global float* restrict out, uint from) {
  size_t i = get_global_id(0);
  out[i] = sub_group_broadcast(a[i], from) + a[i];
}

// CHECK-LABEL: fixed.cl:
// CHECK: vbroadcastss 20({{.*}}), %[[ALL:zmm[0-9]+]]
// CHECK-NEXT: vaddps ({{.*}}), %[[ALL]]
kernel void fixed(global float* restrict a, global float* restrict out) {
  size_t i = get_global_id(0);
  out[i] = sub_group_broadcast(a[i], 5) + a[i];
}
