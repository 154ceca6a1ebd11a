// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows whose difference from an argument wraps around, where a comparison keeps those away that it must.
kernel void copy(global uint* a, global const uint* b, global const uint* c, uint r, ulong n) {
  ulong x = get_global_id(0), y = get_global_id(1);
  ulong j = (uint)y - r;
  if (j < n) a[x * 64 + j] = b[j] + c[y * 64 + x];
}
