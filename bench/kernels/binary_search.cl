// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void search(global int* found, global const uint* keys, global const uint* sorted, int n) {
  size_t i = get_global_id(0);
  uint key = keys[i];
  int low = 0, high = n - 1, where = -1;
  while (low <= high) {
    int middle = (low + high) / 2;
    uint value = sorted[middle];
    if (value == key) {
      where = middle;
      break;
    }
    if (value < key)
      low = middle + 1;
    else
      high = middle - 1;
  }
  found[i] = where;
}
