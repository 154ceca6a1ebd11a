// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void products(global const int* a, global const int* b, global int* out, global long* wide) {
  const int i = get_global_id(0);
  out[i * 4] = mad24(a[i] % 4000, b[i] % 2000, 17);
  out[i * 4 + 1] = mul24(a[i] % 4000, b[i] % 2000);
  out[i * 4 + 2] = mad_hi(a[i], b[i], 5);
  out[i * 4 + 3] = mad_sat(a[i], b[i], a[i]);
  wide[i] = upsample(a[i], (uint)b[i]);
}
