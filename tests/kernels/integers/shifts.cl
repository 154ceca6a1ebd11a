// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shift count is taken modulo the width of the promoted type.
kernel void shifts(global const int* a, global const int* by, global int* out, global uchar* small, global long* wide) {
  const int i = get_global_id(0);
  out[i * 2] = a[i] << by[i];
  out[i * 2 + 1] = a[i] >> by[i];
  small[i] = (uchar)((uchar4)(a[i]) << (uchar4)(by[i])).y;
  wide[i] = (long)a[i] << (long)by[i];
}
