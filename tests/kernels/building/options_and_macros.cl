// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !defined(WIDTH) || WIDTH != 7
#error WIDTH
#endif
#ifndef cl_khr_fp64
#error cl_khr_fp64
#endif
#if __OPENCL_VERSION__ < 120 || !defined(__ENDIAN_LITTLE__) || __kernel_exec_is_wrong
#error macros
#endif
kernel void macros(global float* out) {
  out[0] = WIDTH * SCALE;
  out[1] = __LINE__;
  out[2] = CL_VERSION_1_2;
  out[3] = 'b';
  out[4] = FLT_EPSILON * 8388608 + M_PI_F - 3;
  out[5] = MAXFLOAT == FLT_MAX && isinf(HUGE_VALF) && CHAR_BIT == 8 && LONG_MAX > INT_MAX;
}
