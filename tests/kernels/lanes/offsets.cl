// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches with an offset: sub-groups begin anywhere, guards and clamps hold for global ids.
kernel void clamped(global const int* in, global int* out, int w) {
  const int g = get_global_id(0), o = get_global_offset(0);
  out[g - o] = in[clamp(g - 10, 0, w - 1)] * 1000 + in[min(g, w - 1)];
}
kernel void guarded(global const int* in, global int* out, int w) {
  const uint g = get_global_id(0), o = get_global_offset(0);
  out[g - o] = -1;
  if (g < w && g >= 40) out[g - o] = in[g];
}
kernel void plane(global const int* in, global int* out, int w) {
  const int x = get_global_id(0), y = get_global_id(1), ox = get_global_offset(0), oy = get_global_offset(1);
  const int columns = get_global_size(0);
  out[(y - oy) * columns + x - ox] = x < w ? in[min(x + y, w - 1)] : y;
}
