// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define CONVERT(T, MODE) JOIN(JOIN(convert_, T), MODE)
#ifdef FROM
#define VECTOR JOIN(FROM, 4)
#define TO_HALF(MODE)                                                                              \
  kernel void JOIN(toHalf, MODE)(global const FROM* in, global half* out, global half* vectors) {  \
    const size_t i = get_global_id(0);                                                             \
    out[i] = CONVERT(half, MODE)(in[i]);                                                           \
    const VECTOR x = {in[i], in[i], in[i], in[i]};                                                 \
    vectors[i] = CONVERT(half4, MODE)(x).z;                                                        \
  }
TO_HALF() TO_HALF(_rte) TO_HALF(_rtz) TO_HALF(_rtp) TO_HALF(_rtn)
kernel void implicit(global const FROM* in, global half* out) { out[get_global_id(0)] = in[get_global_id(0)]; }
#else
#define VECTOR JOIN(TO, 4)
#define FROM_HALF(MODE)                                                                            \
  kernel void JOIN(fromHalf, MODE)(global const half* in, global TO* out, global TO* vectors) {    \
    const size_t i = get_global_id(0);                                                             \
    out[i] = CONVERT(TO, MODE)(in[i]);                                                             \
    vectors[i] = CONVERT(VECTOR, MODE)((half4)(in[i])).y;                                          \
  }
FROM_HALF() FROM_HALF(_rte) FROM_HALF(_rtz) FROM_HALF(_rtp) FROM_HALF(_rtn)
#ifndef REAL
FROM_HALF(_sat) FROM_HALF(_sat_rte) FROM_HALF(_sat_rtz) FROM_HALF(_sat_rtp) FROM_HALF(_sat_rtn)
#endif
#endif
