// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without comparison: what is there is taken out, and put back with what is to be added. It locks twice.
kernel void sums(global const int* places, global const float* values, volatile global float* y) {
  int i = get_global_id(0);
  float rest = values[i];
  while ((rest = atomic_xchg(&y[places[i]], atomic_xchg(&y[places[i]], 0.0f) + rest)) != 0.0f)
    ;
}
