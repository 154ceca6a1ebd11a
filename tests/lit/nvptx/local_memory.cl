// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check
// RUN: %compile --gpu sm_90 --emit info %s | FileCheck %s --check-prefix=INFO

// All kernels have one array. Their own variables are at its beginning; offsets of arguments are in the block.
// CHECK: .extern .shared .align 128 .b8 clotho_local[];
// CHECK: .visible .entry first(
// CHECK: mov.b64 %[[BASE:rd[0-9]+]], clotho_local;
// CHECK: ld.param.b64 %[[OFFSET:rd[0-9]+]], [{{.*}}+8];
// CHECK: add.s64 %{{rd[0-9]+}}, %[[BASE]], %[[OFFSET]];
// CHECK: st.volatile.shared.b32 [clotho_local+128],
// CHECK-NEXT: st.volatile.shared.b32 [clotho_local+384],
// INFO: kernel first:{{.*}}local 260,
kernel void first(global int* out, local int* tile) {
  local volatile int a[64];
  local volatile int b;
  a[0] = 1;
  b = 2;
  tile[get_local_id(0)] = out[get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_local_id(0)] = tile[0];
}

// CHECK: .visible .entry second(
// CHECK: st.volatile.shared.b32 [clotho_local+128],
// INFO: kernel second:{{.*}}local 4,
kernel void second() {
  local volatile int c;
  c = 3;
}

// Memory is zeroed before the kernel begins if the launch asks for it (cl_khr_initialize_memory).
// CHECK: .visible .entry zeroes(
// CHECK: ld.param.b32 %[[BYTES:r[0-9]+]], [zeroes_param_0+144];
// CHECK: st.shared.b8 [%{{rd[0-9]+}}], 0;
// CHECK: bar.sync 0;
// CHECK: ld.shared.b32
kernel void zeroes(global int* out, local int* in) { out[0] = in[0]; }

// CHECK: .visible .entry none(
// CHECK-NOT: st.shared
// CHECK: ret;
kernel void none(global int* out) { out[0] = 1; }
