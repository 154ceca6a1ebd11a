// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Overlapping reads and writes of one buffer, in place.
kernel void shift(global int* data, int rounds) {
  const int i = get_global_id(0);
  int v = data[i];
  for (int k = 0; k < rounds; ++k) {
    data[i] = v + k;
    v += data[i];
  }
  data[i] = v;
}
