// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// A second result by pointer, and what is known of a number: every half there is.
#if defined(WITH_HALF)
kernel void withHalf(global const half* in, global half* out, global half* second) {
  const size_t i = get_global_id(0);
  out[i] = WITH_HALF(in[i], second + i);
}
#elif defined(WITH_INTEGER)
kernel void withInteger(global const half* in, global half* out, global int* second) {
  const size_t i = get_global_id(0);
  int k;
  out[i] = WITH_INTEGER(in[i], &k);
  second[i] = k;
}
#else
kernel void classes(global const half* in, global int* out, global short* components) {
  const size_t i = get_global_id(0);
  out[i] = isnan(in[i]) | isinf(in[i]) << 1 | isfinite(in[i]) << 2 | isnormal(in[i]) << 3 | signbit(in[i]) << 4;
  const half3 x = in[i];
  const short3 all = (isnan(x) & (short)1) | (isinf(x) & (short)2) | (isfinite(x) & (short)4) |
                     (isnormal(x) & (short)8) | (signbit(x) & (short)16);
  components[i] = all.y;
}
kernel void exponents(global const half* in, global int* out) { out[get_global_id(0)] = ilogb(in[get_global_id(0)]); }
#endif
