// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of which some work-items exchange a part of their bits for what they load.
kernel void signs(global const float* in, global const float* other, global const int* k, global float* out) {
  int i = get_global_id(0);
  float v = in[i];
  if (k[i] > 0) v = copysign(other[i], v);
  out[i] = v;
}

kernel void magnitudes(global const float* in, global const float* other, global const int* k, global float* out) {
  int i = get_global_id(0);
  float v = in[i];
  if (k[i] > 0) v = copysign(v, other[i]);
  out[i] = v;
}

kernel void doubles(global const double* in, global const double* other, global const int* k, global double* out) {
  int i = get_global_id(0);
  double v = in[i];
  if (k[i] > 0) v = copysign(other[i], v);
  out[i] = v;
}

kernel void bits(global const uint* in, global const uint* other, global const int* k, global uint* out) {
  int i = get_global_id(0);
  uint v = in[i];
  if (k[i] > 0) v = (other[i] & 0x55555555) | (v & 0xaaaaaaaa);
  out[i] = v;
}

kernel void other_bits(global const uint* in, global const uint* other, global const int* k, global uint* out) {
  int i = get_global_id(0);
  uint v = in[i];
  if (k[i] > 0) v = (v & 0x55555555) | (other[i] & 0xaaaaaaaa);
  out[i] = v;
}

kernel void longs(global const ulong* in, global const ulong* other, global const int* k, global ulong* out) {
  int i = get_global_id(0);
  ulong v = in[i];
  if (k[i] > 0) v = bitselect(v, other[i], 0x00ff00ff00ff00fful);
  out[i] = v;
}
