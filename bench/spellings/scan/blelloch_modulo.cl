// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blelloch's scan, in which the work-items whose index has a certain remainder take part.
kernel void scan(global const uint* in, global uint* out) {
  local uint x[256];
  int l = get_local_id(0);
  x[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < 256; d *= 2) {
    if (l % (2 * d) == 2 * d - 1)
      x[l] += x[l - d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 255)
    x[255] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 128; d > 0; d /= 2) {
    if (l % (2 * d) == 2 * d - 1) {
      uint t = x[l - d];
      x[l - d] = x[l];
      x[l] += t;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = x[l];
}
