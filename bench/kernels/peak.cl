// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// T: the type; a work-item's chain of multiplications and additions has no way around it.
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define STEP x = x * a + b;
#define STEPS STEP STEP STEP STEP STEP STEP STEP STEP

kernel void peak(global T* out, global const T* in, S factor, S addend) {
  size_t i = get_global_id(0);
  T x = in[i];
  T a = (T)(factor), b = (T)(addend);
  for (int k = 0; k < 64; k++) {
    STEPS STEPS
  }
  out[i] = x;
}
