// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmax and fmin take the other argument where one is NaN (OpenCL C 3.0, section 6.15.2); so do maxmag and minmag, which are
// these where no magnitude is the greater.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define T3 JOIN(T, 3)

kernel void apply(global const T* x, global const T* y, global T* out) {
  const size_t i = get_global_id(0);
  out[i] = F(x[i], y[i]);
}

kernel void vectors(global const T* x, global const T* y, global T* out) {
  const size_t i = get_global_id(0);
  vstore3(F(vload3(i, x), vload3(i, y)), i, out);
}

kernel void swapped(global const T* x, global const T* y, global T* out) {
  const size_t i = get_global_id(0);
  const T3 r = F((T3)(y[i], x[i], y[i]), (T3)(x[i], y[i], x[i]));
  out[i] = i % 2 ? r.x : r.z;
}
