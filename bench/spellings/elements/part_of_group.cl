// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A group has 1024 elements, which its work-items take in turns.
kernel void line(global const float* in, global float* out, float a, float b, int n) {
  const int first = get_group_id(0) * 1024;
  for (int k = get_local_id(0); k < 1024; k += get_local_size(0))
    if (first + k < n)
      out[first + k] = a * in[first + k] + b;
}
