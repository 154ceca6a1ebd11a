// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu znver4 --options "-cl-std=CL3.0" --emit=asm | %check
// Work-groups of one row that do not fill their sub-groups access memory under a mask. Work-groups of several such rows
// run the exact variant, whose lanes may lie in different rows (issue 51).

// CHECK-LABEL: pairs.predicated.cl:
// CHECK-NOT: gather
// CHECK: vmovups ({{.*}}), %zmm{{[0-9]+}} {%k{{[0-9]}}} {z}
// CHECK-NOT: gather
// CHECK-LABEL: pairs.exact.cl:
// CHECK: gather
// CHECK-LABEL: clotho_wg_pairs:
kernel void pairs(global const float* restrict a, global float* restrict out) {
  size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  out[i] = a[i] + sub_group_shuffle_xor(a[i], 1);
}
