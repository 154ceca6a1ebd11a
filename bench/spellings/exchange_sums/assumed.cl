// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop ends once what was assumed was there.
kernel void sums(global const int* places, global const float* values, global float* y) {
  int i = get_global_id(0);
  volatile global int* place = (volatile global int*)&y[places[i]];
  int old = *place, assumed;
  do {
    assumed = old;
    old = atomic_cmpxchg(place, assumed, as_int(values[i] + as_float(assumed)));
  } while (assumed != old);
}
