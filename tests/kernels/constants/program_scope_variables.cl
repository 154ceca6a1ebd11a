// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program-scope variable keeps its value between launches of the program; every program has its own.
global int kStart = 5;
global float table[4] = {1, 2, 3, 4};
global int untouched;
kernel void touch(global float* out) {
  const int i = get_global_id(0);
  out[i] = table[i & 3] + kStart * 10 + untouched;
}
