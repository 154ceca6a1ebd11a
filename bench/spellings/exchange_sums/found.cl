// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an exchange finds is what the next one expects.
kernel void sums(global const int* places, global const float* values, global float* y) {
  int i = get_global_id(0);
  volatile global int* place = (volatile global int*)&y[places[i]];
  int old = *place, found;
  while ((found = atomic_cmpxchg(place, old, as_int(as_float(old) + values[i]))) != old)
    old = found;
}
