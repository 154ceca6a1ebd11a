// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu znver4 --options "-cl-std=CL3.0" --emit=asm | %check
// Sub-groups of work-groups that are shorter, or have shorter rows, take no masks, gathers or divisions.

// CHECK-LABEL: short_group.cl:
// CHECK-NOT: zmm
// CHECK: vmovups ({{.*}}), %ymm
// CHECK: vmovups %ymm{{[0-9]+}}, (
// CHECK: ret
__attribute__((reqd_work_group_size(8, 1, 1), intel_reqd_sub_group_size(32)))
kernel void short_group(global const float* restrict in, volatile global float* restrict out) {
  size_t i = get_global_id(0);
  float x = in[i];
  ((global float*)out)[i] = x + sub_group_shuffle_xor(x, 1) * get_max_sub_group_size();
}

// CHECK-LABEL: squares.cl:
// CHECK-NOT: {{gather|scatter|div}}
// CHECK-COUNT-4: {{vmovups|vmovupd|vmovdqu|vinsertf}}{{.*}}(
// CHECK-NOT: {{gather|scatter|div}}
// CHECK: ret
__attribute__((reqd_work_group_size(8, 8, 1), intel_reqd_sub_group_size(32)))
kernel void squares(global const float* in, global float* out, int pitch) {
  int x = get_global_id(0), y = get_global_id(1);
  float v = in[y * pitch + x];
  out[y * pitch + x] = v + sub_group_shuffle_xor(v, 1);
}
