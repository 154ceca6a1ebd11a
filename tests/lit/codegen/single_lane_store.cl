// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu znver4 --options "-cl-std=CL3.0 -clotho-width=4" --emit=asm | %check
// The second sub-group has one work-item, which stores four bytes, not the eight of the number that they are part of.

// CHECK-LABEL: five.cl:
// CHECK-NOT: vmov{{lps|lpd|q}} %xmm{{.*}}, 16(
// CHECK-NOT: movq %r{{[a-z0-9]+}}, 16(
// CHECK: {{movl|vmovd|vmovss}} %{{.*}}, 16(
// CHECK: retq
__attribute__((reqd_work_group_size(5, 1, 1)))
kernel void five(global const ulong* in, global uint* out) {
  size_t i = get_global_id(0);
  out[i] = (uint)(in[i] * 3 >> get_sub_group_local_id());
}
