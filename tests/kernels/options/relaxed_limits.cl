// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Relaxed options leave the limits at zeros, infinities, subnormal and the largest numbers as they are.
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
kernel void limits(global const T* a, global const T* b, global T* o) {
  const size_t i = get_global_id(0);
  const T x = a[i], y = b[i];
  o[i] = RESULT;
}
// A length by which several are divided.
kernel void shared_root(global const float* a, global const float* b, global float* o) {
  const size_t i = get_global_id(0), n = get_global_size(0);
  const float length = sqrt(b[i]);
  o[i] = a[i] / length;
  o[n + i] = 2 / length;
  o[2 * n + i] = length;
}
