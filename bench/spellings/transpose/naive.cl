// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows are read, columns written.
kernel void transpose(global const float* in, global float* out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x * h + y] = in[y * w + x];
}
