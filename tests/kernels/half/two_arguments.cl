// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#if defined(F)
kernel void apply(global const half* x, global const half* y, global half* out) {
  const size_t i = get_global_id(0);
  out[i] = F(x[i], y[i]);
}
kernel void vectors(global const half* x, global const half* y, global half* out) {
  const size_t i = get_global_id(0);
  vstore4(F(vload4(i, x), vload4(i, y)), i, out);
}
#elif defined(WITH_INTEGER)
kernel void withInteger(global const half* x, global const int* k, global half* out) {
  const size_t i = get_global_id(0);
  out[i] = WITH_INTEGER(x[i], k[i]);
}
kernel void vectorsWithInteger(global const half* x, global const int* k, global half* out) {
  const size_t i = get_global_id(0);
  vstore2(WITH_INTEGER(vload2(i, x), vload2(i, k)), i, out);
}
#elif defined(OP)
kernel void operators(global const half* x, global const half* y, global half* out) {
  const size_t i = get_global_id(0);
  out[i] = x[i] OP y[i];
}
#elif defined(RELATION)
kernel void relation(global const half* x, global const half* y, global int* out, global short* components) {
  const size_t i = get_global_id(0);
  out[i] = RELATION(x[i], y[i]);
  components[i] = RELATION((half2)(x[i], 0), (half2)(y[i], 0)).x;
}
#else
kernel void quotient(global const half* x, global const half* y, global half* out, global int* low) {
  const size_t i = get_global_id(0);
  int q;
  out[i] = remquo(x[i], y[i], &q);
  low[i] = (q < 0 ? -1 : 1) * (abs(q) & 127);
}
#endif
