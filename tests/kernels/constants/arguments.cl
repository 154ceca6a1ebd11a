// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void weights(constant float* weights, global const float* in, global float* out, constant int* count) {
  float sum = 0;
  for (int k = 0; k < *count; ++k) sum += weights[k] * in[get_global_id(0) + k];
  out[get_global_id(0)] = sum;
}
