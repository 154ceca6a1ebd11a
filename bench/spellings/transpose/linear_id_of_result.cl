// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One dimension; coordinates in the result by division.
kernel void transpose(global const float* in, global float* out, uint w, uint h) {
  uint i = get_global_id(0);
  out[i] = in[i % h * w + i / h];
}
