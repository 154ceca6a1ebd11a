// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blelloch's scan by an up-sweep and a down-sweep; each work-item has two elements.
kernel void scan(global const uint* in, global uint* out, local uint* temp, int n) {
  int l = get_local_id(0);
  int first = get_group_id(0) * n;
  int offset = 1;
  temp[2 * l] = in[first + 2 * l];
  temp[2 * l + 1] = in[first + 2 * l + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) {
      int a = offset * (2 * l + 1) - 1;
      int b = offset * (2 * l + 2) - 1;
      temp[b] += temp[a];
    }
    offset *= 2;
  }
  if (l == 0)
    temp[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) {
      int a = offset * (2 * l + 1) - 1;
      int b = offset * (2 * l + 2) - 1;
      uint t = temp[a];
      temp[a] = temp[b];
      temp[b] += t;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + 2 * l] = temp[2 * l];
  out[first + 2 * l + 1] = temp[2 * l + 1];
}
