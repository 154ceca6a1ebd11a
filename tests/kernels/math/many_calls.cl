// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More calls of long builtins than are inlined (compiler/builtins/limit_inlining.hpp), also where lanes part.
#define FIVE(x) x; x; x; x; x
#define HUNDRED(x) FIVE(FIVE(x; x; x; x))

kernel void straight(global float* out, global const float* in) {
  const size_t i = get_global_id(0);
  float x = in[i], sum = 0;
  HUNDRED(x += 0.25f; sum += sin(x) + cos(x));
  out[i] = sum;
}

kernel void parted(global float* out, global const float* in) {
  const size_t i = get_global_id(0);
  float x = in[i], sum = 0;
  if (i % 3 == 0) {
    HUNDRED(x += 0.25f; sum += sin(x) + cos(x));
  } else {
    for (int k = 0; k < (int)(i % 7); ++k)
      sum += pow(x + k, 1.5f);
  }
  out[i] = sum;
}

kernel void vectors(global float4* out, global const float4* in) {
  const size_t i = get_global_id(0);
  float4 x = in[i], sum = 0;
  HUNDRED(x += 0.25f; sum += exp(-x) + log(x + 1));
  out[i] = sum;
}

kernel void doubles(global double* out, global const double* in) {
  const size_t i = get_global_id(0);
  double x = in[i], sum = 0;
  HUNDRED(x += 0.25; sum += sin(x) + ldexp(exp(-x), (int)(i % 4)));
  out[i] = sum;
}

// Builtins with a second result, which goes to private, local and global memory.
kernel void seconds(global double* out, global int* signs, global const double* in, local double* cosines) {
  const size_t i = get_global_id(0);
  double x = in[i], sum = 0, cosine;
  int quotient;
  FIVE(FIVE(x += 0.25; sum += sincos(x, &cosine) * 2 + cosine; sum += sincos(x, &cosines[get_local_id(0)]);
            sum += cosines[get_local_id(0)]));
  FIVE(FIVE(sum += remquo(x, 2.5, &quotient); sum += quotient; x += 0.25));
  if (i % 3 != 0) {
    FIVE(FIVE(x -= 0.75; sum += lgamma_r(x, &signs[i]) * signs[i]));
  } else {
    signs[i] = 7;
  }
  out[i] = sum;
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global half4* out, global const half4* in) {
  const size_t i = get_global_id(0);
  half4 x = in[i], sum = 0, cosine;
  FIVE(FIVE(sum += sincos(x, &cosine) * (half)0.125; sum -= cosine * (half)0.25; x += (half)0.125));
  out[i] = sum;
}
