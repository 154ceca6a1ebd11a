// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void rows(global const uchar* in, global uchar* out, uint pitch) {
  const uint x = get_global_id(0), y = get_global_id(1);
  out[y * pitch + x] = 255 - in[y * pitch + x];
}
