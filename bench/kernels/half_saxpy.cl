// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stored as half, computed as float.
kernel void half_saxpy(global half* y, global const half* x, global const half* z, float a) {
  size_t i = get_global_id(0);
  float v = a * vload_half(i, x) + vload_half(i, z);
  vstore_half(v, i, y);
}
