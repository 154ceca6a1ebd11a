// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL C 3.0, section 7.5.1: lgamma_r's sign is 0 where the gamma function has poles; normalize keeps NaN.
kernel void signs_float(global const float* x, global int* out) {
  int sign = 7;
  lgamma_r(x[get_global_id(0)], &sign);
  out[get_global_id(0)] = sign;
}

kernel void signs_double(global const double* x, global int* out) {
  int sign = 7;
  lgamma_r(x[get_global_id(0)], &sign);
  out[get_global_id(0)] = sign;
}

kernel void signs_double2(global const double* x, global int* out) {
  int2 sign = 7;
  lgamma_r((double2)(x[get_global_id(0)], -1.5), &sign);
  out[get_global_id(0)] = sign.y == 1 ? sign.x : 99;
}

kernel void normal_float(global const float* x, global float* out) {
  out[get_global_id(0)] = normalize(x[get_global_id(0)]);
}

kernel void normal_double(global const double* x, global double* out) {
  out[get_global_id(0)] = normalize(x[get_global_id(0)]);
}
