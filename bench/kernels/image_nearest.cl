// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An image of floats turned and shrunk a little, the nearest texel for each place.
//   LITERAL: the sampler is the program's, else an argument; NORMALISED: coordinates are; INTEGER: coordinates are
//   texels; ADDRESSING: what is outside.
constant sampler_t own = ADDRESSING | CLK_FILTER_NEAREST |
#ifdef NORMALISED
                         CLK_NORMALIZED_COORDS_TRUE;
#define PLACE(u, v) ((float2)((u), (v)) / (float2)(get_image_width(in), get_image_height(in)))
#else
                         CLK_NORMALIZED_COORDS_FALSE;
#ifdef INTEGER
#define PLACE(u, v) convert_int2_rtn((float2)((u), (v)))
#else
#define PLACE(u, v) (float2)((u), (v))
#endif
#endif

kernel void nearest(global float* out, read_only image2d_t in, float a, float b, float left, float top
#ifndef LITERAL
                    , sampler_t given
#define own given
#endif
) {
  const int x = get_global_id(0), y = get_global_id(1);
  const float u = a * x - b * y + left, v = b * x + a * y + top;
  out[y * get_global_size(0) + x] = read_imagef(in, own, PLACE(u, v)).x;
}
