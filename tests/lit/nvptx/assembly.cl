// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check
// RUN: not %compile --emit asm %s 2>&1 | %check --check-prefix=CPU
// RUN: not %compile --gpu sm_90 --emit asm --options -DTOO_LARGE %s 2>&1 | %check --check-prefix=SIZE

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

// Results and operands of all sizes.
// CHECK: .visible .entry sizes(
// CHECK: add.u64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, 1;
// CHECK: add.s16 %rs{{[0-9]+}}, %rs{{[0-9]+}}, %rs{{[0-9]+}};
// CHECK: rcp.approx.ftz.f32 %{{[rf]+}}{{[0-9]+}}, %{{[rf]+}}{{[0-9]+}};
// CHECK: add.rz.f64 %{{[rfd]+}}{{[0-9]+}}, %{{[rfd]+}}{{[0-9]+}}, %{{[rfd]+}}{{[0-9]+}};
kernel void sizes(global ulong* longs, global short* shorts, global float* floats, global double* doubles) {
  ulong l;
  asm("add.u64 %0, %1, %2;" : "=l"(l) : "l"(longs[0]), "n"(1));
  longs[1] = l;
  short h;
  asm("add.s16 %0, %1, %2;" : "=h"(h) : "h"(shorts[0]), "h"(shorts[1]));
  shorts[2] = h;
  float f;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(floats[0]));
  floats[1] = f;
  double d;
  asm("add.rz.f64 %0, %1, %2;" : "=d"(d) : "d"(doubles[0]), "d"(doubles[1]));
  doubles[2] = d;
}

// Several results, of which some are operands, too, and some are written before the operands are read.
// CHECK: .visible .entry several(
// CHECK: {add.cc.u32 [[LOW:%r[0-9]+]], [[A:%r[0-9]+]], [[A]]; addc.u32 [[HIGH:%r[0-9]+]], {{%r[0-9]+}}, {{%r[0-9]+}};}
// CHECK: mad.lo.s32 [[SUM:%r[0-9]+]], {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}};
// CHECK: mov.b64 {{{%r[0-9]+}}, {{%r[0-9]+}}}, %rd{{[0-9]+}};
kernel void several(global uint* p, global ulong* q) {
  uint low, high;
  asm("{add.cc.u32 %0, %2, %2; addc.u32 %1, %3, %3;}" : "=&r"(low), "=r"(high) : "r"(p[0]), "r"(p[1]));
  p[2] = low;
  p[3] = high;
  int sum = p[4];
  asm volatile("mad.lo.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(p[5]), "r"(p[6]) : "memory");
  p[7] = sum;
  uint2 halves;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(halves.x), "=r"(halves.y) : "l"(q[0]));
  p[8] = halves.x;
  p[9] = halves.y;
}

#ifdef TOO_LARGE
kernel void too_large(global float4* a, global long* b) {
  float4 vector;
  // SIZE: :[[#@LINE+1]]:{{.*}}error: invalid output size for constraint '=f'
  asm("mov.f32 %0, 1.0;" : "=f"(vector));
  a[0] = vector;
  // SIZE: :[[#@LINE+1]]:{{.*}}error: invalid input size for constraint 'r'
  asm volatile("prefetch.global.L1 [%0];" : : "r"(b[0]));
}
#endif
