// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All items print; lines are whole, and in an unsynchronised kernel their order is free.
kernel void print(global const int* in) {
  const int i = get_global_id(0);
  printf("item %d has %d\n", i, in[i]);
}
