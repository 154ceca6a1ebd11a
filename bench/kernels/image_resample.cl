// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A picture turned and shrunk a little, with a bilinear filter.
//   LITERAL: the sampler is the program's, else an argument; NORMALISED: coordinates are; ADDRESSING: what is outside.
constant sampler_t own = ADDRESSING | CLK_FILTER_LINEAR |
#ifdef NORMALISED
                         CLK_NORMALIZED_COORDS_TRUE;
#define PLACE(u, v) ((float2)((u), (v)) / (float2)(get_image_width(in), get_image_height(in)))
#else
                         CLK_NORMALIZED_COORDS_FALSE;
#define PLACE(u, v) (float2)((u), (v))
#endif

kernel void resample(write_only image2d_t out, read_only image2d_t in, float a, float b, float left, float top
#ifndef LITERAL
                     , sampler_t given
#define own given
#endif
) {
  const int x = get_global_id(0), y = get_global_id(1);
  const float u = a * x - b * y + left, v = b * x + a * y + top;
  write_imagef(out, (int2)(x, y), read_imagef(in, own, PLACE(u, v)));
}
