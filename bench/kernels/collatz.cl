// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void collatz(global int* steps, uint first) {
  uint i = get_global_id(0);
  ulong n = first + i;
  int count = 0;
  while (n != 1) {
    if (n & 1)
      n = 3 * n + 1;
    else
      n >>= 1;
    count++;
  }
  steps[i] = count;
}
