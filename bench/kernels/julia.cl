// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define ITERATIONS 128

kernel void julia(global uchar4* out, float cr, float ci) {
  int x = get_global_id(0), y = get_global_id(1);
  int width = get_global_size(0), height = get_global_size(1);
  float2 z = (float2)(3.0f * x / width - 1.5f, 2.0f * y / height - 1.0f);
  int i;
  for (i = 0; i < ITERATIONS; i++) {
    float2 next = (float2)(z.x * z.x - z.y * z.y + cr, 2.0f * z.x * z.y + ci);
    if (dot(next, next) > 16.0f)
      break;
    z = next;
  }
  uchar4 colour = (uchar4)(0, 0, 0, 255);
  if (i < ITERATIONS)
    colour.xyz = convert_uchar3((uint3)(i * 9, i * 5, i * 2) & 255u);
  out[y * width + x] = colour;
}
