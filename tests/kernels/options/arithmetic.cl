// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// a: 1 + 2^-12, b the same: the square loses its last bit unless it is fused with the subtraction.
kernel void contracted(global const float* a, global const float* b, global float* out) {
  const int i = get_global_id(0);
  out[i] = a[i] * b[i] - 1.0f;
}

kernel void apart(global const float* a, global const float* b, global float* out) {
#pragma OPENCL FP_CONTRACT OFF
  const int i = get_global_id(0);
  const float product = a[i] * b[i];
  out[i] = product - 1.0f;
}

// Half of the least normal numbers.
kernel void halved(global const float* a, global const double* d, global float* out, global double* wide) {
  const int i = get_global_id(0);
  out[i] = a[i] * 0.5f;
  wide[i] = d[i] * 0.5;
}

// Exact with the option; with 2.5 ULP else.
kernel void divided(global const float* a, global const float* b, global float* quotient, global float* root) {
  const int i = get_global_id(0);
  quotient[i] = a[i] / b[i];
  root[i] = sqrt(fabs(a[i]));
}

kernel void constants(global const float* a, global float* out) {
  const int i = get_global_id(0);
  out[i] = a[i] * 0.1 == a[i] * 0.1f ? 1 : 0;
}
