// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int name(int v) {
  switch (v) {
    case 0: return 5;
    case 1:
    case 2: v += 10; // falls through
    case 3: return v * 2;
    case 100: v = 7; break;
    case -1000000: v = 8; break;
    default:
      if (v & 1) break;
      return -v;
  }
  return v + 1;
}
kernel void choose(global const int* in, global int* out) { out[get_global_id(0)] = name(in[get_global_id(0)]); }
