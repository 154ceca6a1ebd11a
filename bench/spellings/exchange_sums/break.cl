// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop without a condition.
kernel void sums(global const int* places, global const float* values, volatile global float* y) {
  int i = get_global_id(0);
  while (true) {
    float old = y[places[i]];
    if (atomic_cmpxchg((volatile global uint*)&y[places[i]], as_uint(old), as_uint(old + values[i])) == as_uint(old))
      break;
  }
}
