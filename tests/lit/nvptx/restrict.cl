// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_80 --emit asm --options "-cl-std=CL3.0" %s | %check
// Behind a barrier of any kind is what other work-items have stored through a restricted argument.

// CHECK: .visible .entry exchange(
// CHECK: st.global.b32 [%[[A:rd[0-9]+]]+28],
// CHECK: bar.warp.sync
// CHECK: ld.global.b32 %{{r[0-9]+}}, [%[[A]]+28];
kernel void exchange(global int* restrict a, global int* restrict out) {
  a[7] = get_sub_group_local_id();
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = a[7];
}
