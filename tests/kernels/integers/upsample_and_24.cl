// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)

kernel void upsampled(global const HIGH* high, global const LOW* low, global WIDE* out) {
  const int i = get_global_id(0);
  out[i] = upsample(high[i], low[i]);
  const CAT(WIDE, 3) three = upsample((CAT(HIGH, 3))(1, high[i], 2), (CAT(LOW, 3))(3, low[i], 4));
  out[get_global_size(0) + i] = three.y;
  const CAT(WIDE, 8) eight = upsample((CAT(HIGH, 8))(high[i]), (CAT(LOW, 8))(low[i]));
  out[2 * get_global_size(0) + i] = eight.s7;
}

// Products of operands that fit in 24 bits.
kernel void products(global const T* a, global const T* b, global const T* c, global T* out) {
  const int i = get_global_id(0);
  const T x = a[i] << 8 >> 8, y = b[i] << 8 >> 8;
  out[i * 4 + 0] = mul24(x, y);
  out[i * 4 + 1] = mad24(x, y, c[i]);
  out[i * 4 + 2] = mul24((CAT(T, 4))(x, 1, 2, 3), (CAT(T, 4))(y, 1, 2, 3)).x;
  out[i * 4 + 3] = mad24((CAT(T, 16))(x), (CAT(T, 16))(y), (CAT(T, 16))(c[i])).sf;
}
