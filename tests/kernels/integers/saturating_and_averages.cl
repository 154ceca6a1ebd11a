// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void functions(global const T* a, global const T* b, global T* out) {
  const int i = get_global_id(0);
  const T x = a[i], y = b[i];
  global T* o = out + i * 8;
  o[0] = add_sat(x, y);
  o[1] = sub_sat(x, y);
  o[2] = hadd(x, y);
  o[3] = rhadd(x, y);
  o[4] = mul_hi(x, y);
  o[5] = max(x, y) ^ min(x, y);
  o[6] = (T)abs_diff(x, y);
  o[7] = clamp(x, (T)3, (T)90) + (T)abs(y);
}
