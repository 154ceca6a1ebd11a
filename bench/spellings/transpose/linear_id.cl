// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One dimension; coordinates by division.
kernel void transpose(global const float* in, global float* out, int w, int h) {
  int i = get_global_id(0);
  int x = i % w, y = i / w;
  out[x * h + y] = in[i];
}
