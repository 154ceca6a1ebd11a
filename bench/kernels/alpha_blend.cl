// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void blend(global uchar4* out, global const uchar4* front, global const uchar4* back) {
  size_t i = get_global_id(0);
  uchar4 f = front[i];
  ushort4 alpha = (ushort4)(f.w);
  ushort4 sum = convert_ushort4(f) * alpha + convert_ushort4(back[i]) * (ushort4)(255 - f.w) + (ushort4)(128);
  out[i] = convert_uchar4((sum + (sum >> (ushort4)(8))) >> (ushort4)(8));
}
