// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Table look-ups and scatters of 8 and 16 bits, up to the last element of a buffer, from some of the lanes.
kernel void bytes(global const uchar* t, global const int* index, global uchar* out) {
  const int g = get_global_id(0);
  out[g * 7 % 208] = t[index[g]];
}

kernel void shorts(global const short* t, global const int* index, global short* out) {
  const int g = get_global_id(0);
  if (index[g] & 1) out[g * 7 % 208] = t[index[g]];
}

kernel void unaligned(global const uchar* t, global const int* index, global uchar* out) {
  const int g = get_global_id(0);
  const uchar2 pair = vload2(0, t + (index[g] < 50 ? index[g] : 49));
  out[g * 7 % 208] = pair.x ^ pair.y;
}
