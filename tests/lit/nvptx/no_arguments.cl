// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check

// A kernel without arguments has one parameter, and an id may be its first value.
// CHECK: .visible .entry prints(
// CHECK-NEXT: .param .align 8 .b8 prints_param_0[160]
// CHECK-NEXT: )
kernel void prints() { printf("%d %d\n", (int)get_global_id(0), (int)get_group_id(1)); }

// Clang's address space for global memory of the device is no memory of its own in PTX.
// CHECK: .visible .entry ofDevice(
// CHECK: ld.global.b32
// CHECK: st.global.b32
kernel void ofDevice(global int* out, __attribute__((opencl_global_device)) int* in) {
  out[get_global_id(0)] = in[get_global_id(0)];
}
