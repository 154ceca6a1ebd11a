// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void swizzle(global const int4* in, global int* out) {
  const int i = get_global_id(0);
  int4 v = in[i];
  v.xz = v.yw;
  v.s3 = 100;
  int8 w = (int8)(v, v.wzyx);
  w.even = w.odd;
  w.hi.lo += (int2)(1, 2);
  int16 x = (int16)(w, w.lo, w.hi);
  x.sF = x.s0 + x.sa;
  int lanes[16];
  vstore16(x, 0, lanes);
  for (int k = 0; k < 16; ++k) out[i * 16 + k] = lanes[k];
}
