// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void blur(global uchar4* out, global const uchar4* in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 sum = (float4)(0.0f);
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int sx = min(max(x + dx, 0), width - 1);
      int sy = min(max(y + dy, 0), height - 1);
      sum += convert_float4(in[sy * width + sx]);
    }
  out[y * width + x] = convert_uchar4_sat_rte(sum * (1.0f / 9.0f));
}
