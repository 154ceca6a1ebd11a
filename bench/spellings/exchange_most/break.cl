// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The largest real of those for each place. What is large enough ends the loop.
kernel void most(global const int* places, global const float* values, global float* y) {
  int i = get_global_id(0);
  volatile global int* place = (volatile global int*)&y[places[i]];
  while (true) {
    int old = *place;
    if (as_float(old) >= values[i]) break;
    if (atomic_cmpxchg(place, old, as_int(values[i])) == old) break;
  }
}
