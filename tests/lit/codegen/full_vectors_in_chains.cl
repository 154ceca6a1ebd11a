// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %report %s --cpu x86-64-v3 | FileCheck --check-prefixes=CHECK,SLOW %s
// RUN: %report %s --cpu znver3 | FileCheck --check-prefixes=CHECK,QUICK %s
// Chains of full vectors: each register of a vector waits for its own result, and a product with a sum is one operation
// in each. So many work-items run at once as make eight chains with AVX2, or more of integers, since not every pipe takes
// their products, which take longer on some processors; and no more than there are registers for.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define STEP x = x * a + b;
#define STEPS STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
#define CHAIN(T, S) \
  kernel void chain_##T(global T* out, global const T* in, S factor, S addend) { \
    size_t i = get_global_id(0); \
    T x = in[i], a = (T)(factor), b = (T)(addend); \
    for (int k = 0; k < 64; k++) { STEPS } \
    out[i] = x; \
  }

// CHECK: kernel chain_double16: 2 work-items at once
CHAIN(double16, double)
// CHECK: kernel chain_double8: 4 work-items at once
CHAIN(double8, double)
// CHECK: kernel chain_float16: 4 work-items at once
CHAIN(float16, float)
// CHECK: kernel chain_int8: 8 work-items at once
CHAIN(int8, int)
// SLOW: kernel chain_int16: 8 work-items at once
// QUICK: kernel chain_int16: 4 work-items at once
CHAIN(int16, int)
