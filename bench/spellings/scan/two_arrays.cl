// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps between two arrays, whose pointers are exchanged.
kernel void scan(global const uint* in, global uint* out) {
  local uint first[256], second[256];
  local uint *from = first, *to = second;
  size_t l = get_local_id(0), i = get_global_id(0);
  uint mine = in[i];
  from[l] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t d = 1; d < 256; d <<= 1) {
    uint sum = from[l];
    if (l >= d)
      sum += from[l - d];
    to[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    local uint* old = from;
    from = to;
    to = old;
  }
  out[i] = from[l] - mine;
}
