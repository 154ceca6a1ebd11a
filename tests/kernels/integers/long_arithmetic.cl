// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void wide(global const long* a, global const ulong* b, global long* out) {
  const int i = get_global_id(0);
  out[i * 4] = a[i] * 6364136223846793005l + 1442695040888963407l;
  out[i * 4 + 1] = (long)(b[i] >> 13) ^ (a[i] >> 7);
  out[i * 4 + 2] = (a[i] < (long)b[i]) + 2 * ((ulong)a[i] < b[i]);
  out[i * 4 + 3] = (int)a[i] + (long)(uint)b[i];
}
