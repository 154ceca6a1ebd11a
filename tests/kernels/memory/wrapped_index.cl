// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An index that goes round within a group is not one that goes on.
kernel void wrapped(global ulong* restrict out, global const int* restrict t) {
  size_t g = get_global_id(0);
  uint lid = get_local_id(0);
  out[g * 4 + 1] = t[(lid + 3) & 7];
  out[g * 4 + 3] = 3;
}
