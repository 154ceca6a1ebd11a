// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile with its margin, filled by a loop over the group's work-items in their linear order.
kernel void filter(global const float* in, global float* out, int w, int h, float a, float b, float c) {
  local float tile[18 * 18];
  int lx = get_local_id(0), ly = get_local_id(1);
  int x0 = get_group_id(0) * 16 - 1, y0 = get_group_id(1) * 16 - 1;
  for (int i = ly * 16 + lx; i < 18 * 18; i += 256) {
    int x = x0 + i % 18, y = y0 + i / 18;
    tile[i] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
    local float* t = tile + (ly + 1) * 18 + lx + 1;
    out[y * w + x] = a * t[0] + b * (t[-18] + t[18] + t[-1] + t[1]) + c * (t[-19] + t[-17] + t[17] + t[19]);
  }
}
