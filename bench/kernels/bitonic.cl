// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One step of the sorting network over the whole array.
kernel void fill(global const uint* in, global uint* out) { out[get_global_id(0)] = in[get_global_id(0)]; }

kernel void exchange(global uint* data, int size, int stride) {
  int i = get_global_id(0);
  int partner = i ^ stride;
  if (partner > i) {
    uint a = data[i], b = data[partner];
    bool ascending = (i & size) == 0;
    if (ascending ? a > b : a < b) {
      data[i] = b;
      data[partner] = a;
    }
  }
}
