// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitonic sort in global memory, a launch a step of half as many work-items as keys.
kernel void fetch(global const uint* in, global uint* keys) { keys[get_global_id(0)] = in[get_global_id(0)]; }

kernel void exchange(global uint* keys, uint k, uint j) {
  uint thread = get_global_id(0);
  uint left = (thread / j) * (j * 2) + thread % j, right = left + j;
  uint a = keys[left], b = keys[right];
  bool up = (left & k & 255) == 0;
  uint greater = a > b ? a : b, lesser = a > b ? b : a;
  keys[left] = up ? lesser : greater;
  keys[right] = up ? greater : lesser;
}
