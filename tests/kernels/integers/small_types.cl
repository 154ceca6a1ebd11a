// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of char, short and their unsigned kinds wraps when stored.
kernel void wrap(global const char* c, global const uchar* uc, global const short* s, global const ushort* us, global int* out) {
  const int i = get_global_id(0);
  char a = c[i] * 3 + 100;
  uchar b = uc[i] * 3 + 100;
  short d = s[i] * s[i];
  ushort e = -us[i];
  out[i * 5] = a;
  out[i * 5 + 1] = b;
  out[i * 5 + 2] = d;
  out[i * 5 + 3] = e;
  out[i * 5 + 4] = (c[i] < uc[i]) + 2 * ((char)uc[i] == c[i]);
}
