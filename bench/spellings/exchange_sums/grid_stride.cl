// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each work-item adds several values, a grid apart.
kernel void sums(global const int* places, global const float* values, volatile global uint* y, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    volatile global uint* place = y + places[i];
    uint old;
    do
      old = *place;
    while (atomic_cmpxchg(place, old, as_uint(as_float(old) + values[i])) != old);
  }
}
