// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void print(global int* data) {
  printf("%d\n", printf("%p\n", (global void*)0x1234) == 0);
}
