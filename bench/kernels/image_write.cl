// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two ramps: nearly nothing to compute, and every texel to be written.
kernel void write_ramps(write_only image2d_t out, float alongX, float alongY) {
  const int x = get_global_id(0), y = get_global_id(1);
  write_imagef(out, (int2)(x, y), (float4)(x * alongX, y * alongY, 0.5f, 1.0f));
}
