// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int note(int value, private int* calls) { ++*calls; return value; }
kernel void logic(global const int* in, global int* out) {
  const int i = get_global_id(0);
  int calls = 0;
  const int v = in[i];
  int r = (note(v & 1, &calls) && note(v & 2, &calls)) || note(v & 4, &calls);
  r = r ? (v > 5 ? 20 : 10) : 0;
  out[i] = r * 10 + calls;
}
