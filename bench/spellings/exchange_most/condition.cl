// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop goes on while less is there.
kernel void most(global const int* places, global const float* values, volatile global uint* y) {
  int i = get_global_id(0);
  float mine = values[i];
  uint old = y[places[i]];
  while (as_float(old) < mine) {
    uint found = atomic_cmpxchg(&y[places[i]], old, as_uint(mine));
    if (found == old) break;
    old = found;
  }
}
