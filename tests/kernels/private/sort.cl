// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Insertion sort in private memory: data-dependent loops, stores through computed addresses.
kernel void sort(global const int* in, global int* out) {
  int own[12];
  const int base = get_global_id(0) * 12;
  for (int k = 0; k < 12; ++k) {
    const int value = in[base + k];
    int at = k;
    while (at > 0 && own[at - 1] > value) {
      own[at] = own[at - 1];
      --at;
    }
    own[at] = value;
  }
  for (int k = 0; k < 12; ++k) out[base + k] = own[k];
}
