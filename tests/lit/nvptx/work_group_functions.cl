// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_80 --emit asm --options -cl-std=CL3.0 %s | %check

// Each warp stores its part; the first one combines them; all read the result.
// CHECK: .visible .entry sum(
// CHECK: redux.sync.add.s32
// CHECK: st.shared.b32
// CHECK: bar.sync 0;
// CHECK: ld.shared.b32
// CHECK: redux.sync.add.s32
// CHECK: st.shared.b32
// CHECK: bar.sync 0;
// CHECK: ld.shared.b32
// CHECK-NOT: bar.sync
// CHECK: ret;
kernel void sum(global int* a) { a[get_global_id(0)] = work_group_reduce_add(a[get_global_id(0)]); }
