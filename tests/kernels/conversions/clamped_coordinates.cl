// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers that are named by floats, as texels are: rounded down, clamped, and integers again.

#define TEXEL(x, constant) (int)clamp(floor((float)(x) + constant), -3.0f, (float)(size & 0xffff) + 2.0f)

kernel void texels(global int* out, global const int* in, int size) {
  const size_t i = get_global_id(0);
  out[4 * i] = TEXEL(in[i], 0.5f);
  out[4 * i + 1] = TEXEL(in[i], -0.5f);
  out[4 * i + 2] = TEXEL(as_uint(in[i]), 1.75f);
  out[4 * i + 3] = TEXEL((long)in[i] * in[i], -100.25f);
}

/// As reads do it: the nearest texel, or none.
kernel void columns(global int* out, global const int* in, int size) {
  const int x = get_global_id(0);
  const int texel = TEXEL(x - 20, 0.5f);
  const int nearest = clamp(texel, 0, (size & 0xffff) - 1);
  out[2 * x] = in[nearest];
  out[2 * x + 1] = (uint)texel >= (uint)(size & 0xffff) ? -1 : in[nearest];
}
