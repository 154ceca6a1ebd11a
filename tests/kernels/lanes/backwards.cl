// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes that go backwards, or in steps, with guards and clamps.
kernel void clamped(global const int* in, global int* out, int r) {
  const int g = get_global_id(0), n = get_global_size(0);
  out[g] = in[max(n - 1 - g - r, 0)] * 1000 + in[min(n - 1 - g + r, n - 1)];
}
kernel void guarded(global const int* in, global int* out, uint r) {
  const uint g = get_global_id(0), n = get_global_size(0), back = n - 1 - g;
  out[g] = -1;
  if (back >= r) out[g] = in[back - r];
}
kernel void byRoom(global const int* in, global int* out, int r) {
  const int g = get_global_id(0), n = get_global_size(0);
  const int at = g * 3 - r, back = 2 * n - 2 * g - r;
  out[g] = (at >= 0 && at < n ? in[at] : -1) * 1000 + in[clamp(back, 0, n - 1)];
}
kernel void halves(global const int* in, global int* out, int r) {
  const int g = get_global_id(0), n = get_global_size(0);
  out[g] = in[min(2 * g, n - 1)] + in[max(2 * g - n, r)] * 1000;
}
kernel void bytes(global const uchar* in, global uchar* out, int r) {
  const int g = get_global_id(0), n = get_global_size(0);
  const int at = n - 1 - g;
  out[g] = in[at == 0 ? r : at - 1] + (at != r ? in[at] : 0);
}
