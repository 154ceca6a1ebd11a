// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blelloch's scan with indices that grow with the stride, as reductions have them, and a sweep for inclusive sums.
kernel void scan(global const uint* in, global uint* out) {
  local uint x[256];
  uint l = get_local_id(0);
  uint mine = in[get_global_id(0)];
  x[l] = mine;
  for (uint stride = 1; stride <= 128; stride *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint index = (l + 1) * stride * 2 - 1;
    if (index < 256)
      x[index] += x[index - stride];
  }
  for (uint stride = 64; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint index = (l + 1) * stride * 2 - 1;
    if (index + stride < 256)
      x[index + stride] += x[index];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = x[l] - mine;
}
