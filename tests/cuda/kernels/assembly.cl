// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembly in PTX: results and operands of all sizes.
kernel void sizes(global ulong* longs, global short* shorts, global float* floats, global double* doubles) {
  const size_t i = get_global_id(0);
  ulong l;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(l) : "r"((uint)i), "n"(1000000007), "l"(longs[i]));
  longs[i] = l;
  short h;
  asm("add.s16 %0, %1, %2;" : "=h"(h) : "h"(shorts[i]), "h"((short)3));
  shorts[i] = h;
  float f;
  asm("fma.rn.f32 %0, %1, %2, %1;" : "=f"(f) : "f"(floats[i]), "f"(2.0f));
  floats[i] = f;
  double d;
  asm("add.rz.f64 %0, %1, %2;" : "=d"(d) : "d"(doubles[i]), "d"(0.5));
  doubles[i] = d;
}

// The carry needs both instructions in one statement, and results that are no operands.
kernel void sum_of_96_bits(global const uint* a, global const uint* b, global uint* out) {
  const size_t i = 3 * get_global_id(0);
  uint low, middle, high;
  asm("{ add.cc.u32 %0, %3, %6; addc.cc.u32 %1, %4, %7; addc.u32 %2, %5, %8; }"
      : "=&r"(low), "=&r"(middle), "=r"(high)
      : "r"(a[i]), "r"(a[i + 1]), "r"(a[i + 2]), "r"(b[i]), "r"(b[i + 1]), "r"(b[i + 2]));
  out[i] = low;
  out[i + 1] = middle;
  out[i + 2] = high;
}

// What is read and written, and memory that the statement writes.
kernel void changes(global int* p, global int* places, local int* scratch) {
  const size_t i = get_global_id(0);
  int value = p[i];
  long wide = p[i];
  asm("add.s32 %0, %0, %1;" : "+r"(value) : "r"(5));
  asm("shl.b64 %0, %0, 3;" : "+l"(wide));
  p[i] = -1;
  asm volatile("st.global.s32 [%0], %1;" ::"l"(p + i), "r"(value) : "memory");
  asm volatile("st.shared.s32 [%0], %1;" ::"r"((uint)(ulong)(scratch + get_local_id(0))), "r"((int)wide) : "memory");
  barrier(CLK_LOCAL_MEM_FENCE);
  places[i] = p[i] + scratch[get_local_id(0)];
}
