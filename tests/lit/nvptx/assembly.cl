// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check
// RUN: not %compile --emit asm %s 2>&1 | %check --check-prefix=CPU

// Programs for NVIDIA's OpenCL have PTX in them, which GPUs run and CPUs refuse.
// CPU: error: {{.*}}asm

// CHECK: .visible .entry products(
// CHECK: dp4a.s32.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}};
kernel void products(global const int* a, global const int* b, global int* out) {
  const size_t i = get_global_id(0);
  int sum;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a[i]), "r"(b[i]), "r"(out[i]));
  out[i] = sum;
}

// Pointers keep their address spaces; what is volatile stays, in its order.
// CHECK: .visible .entry pointers(
// CHECK: ld.volatile.global.u32 %r{{[0-9]+}}, [%rd{{[0-9]+}}];
// CHECK: st.volatile.global.u32 [%rd{{[0-9]+}}], %r{{[0-9]+}};
// CHECK: mov.u32 %r{{[0-9]+}}, %laneid;
kernel void pointers(global uint* p) {
  uint value, lane;
  __asm__ volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(value) : "l"(p));
  asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p + 1), "r"(value) : "memory");
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  p[get_global_id(0) + 2] = lane;
}

// Negations in it are not written anew.
// CHECK: .visible .entry negations(
// CHECK: neg.s16 b, a;}
kernel void negations(global int* p) {
  int value;
  asm("{ .reg .s16 a, b; cvt.s16.s32 a, %1; neg.s16 b, a;} mov.b32 %0, 0;" : "=r"(value) : "r"(p[0]));
  p[1] = value;
}
