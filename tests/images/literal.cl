// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samplers that are written in the program: at program scope, and in kernels. The build options are those of
// access.cl. The order is that of allSamplers() in sampling.cpp.
#if COORDINATES == 1
#define AT(c) (c).x
#elif COORDINATES == 2
#define AT(c) (c).xy
#else
#define AT(c) (c)
#endif
#ifdef DEPTH
#define COLOR_OF(depth) (float4)((depth), 0, 0, 0)
#else
#define COLOR_OF(color) color
#endif

constant sampler_t unnormalised_none = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
constant sampler_t unnormalised_edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
const sampler_t unnormalised_clamp = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t linear_none = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_LINEAR;
constant sampler_t linear_edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
const sampler_t linear_clamp = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;

#define READS(letters, Color, out_of)                                                                                  \
  kernel void nearest_##letters(read_only IMAGE image, int which, global const float4* at, global Color* out) {        \
    const sampler_t none = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;                         \
    const sampler_t edge = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;                \
    const sampler_t clamped = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;                     \
    const sampler_t repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;                     \
    const sampler_t mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;          \
    const size_t i = get_global_id(0);                                                                                 \
    switch (which) {                                                                                                   \
    case 0: out[i] = out_of(read_image##letters(image, unnormalised_none, AT(at[i]))); break;                          \
    case 1: out[i] = out_of(read_image##letters(image, unnormalised_edge, AT(at[i]))); break;                          \
    case 2: out[i] = out_of(read_image##letters(image, unnormalised_clamp, AT(at[i]))); break;                         \
    case 6: out[i] = out_of(read_image##letters(image, none, AT(at[i]))); break;                                       \
    case 7: out[i] = out_of(read_image##letters(image, edge, AT(at[i]))); break;                                       \
    case 8: out[i] = out_of(read_image##letters(image, clamped, AT(at[i]))); break;                                    \
    case 9: out[i] = out_of(read_image##letters(image, repeat, AT(at[i]))); break;                                     \
    case 10: out[i] = out_of(read_image##letters(image, mirrored, AT(at[i]))); break;                                  \
    }                                                                                                                  \
  }                                                                                                                    \
  kernel void integer_##letters(read_only IMAGE image, int which, global const int4* at, global Color* out) {          \
    const size_t i = get_global_id(0);                                                                                 \
    switch (which) {                                                                                                   \
    case 0: out[i] = out_of(read_image##letters(image, unnormalised_none, AT(at[i]))); break;                          \
    case 1: out[i] = out_of(read_image##letters(image, unnormalised_edge, AT(at[i]))); break;                          \
    case 2: out[i] = out_of(read_image##letters(image, unnormalised_clamp, AT(at[i]))); break;                         \
    }                                                                                                                  \
  }

READS(f, float4, COLOR_OF)
#ifndef DEPTH
#define SAME(color) color
READS(ui, uint4, SAME)
#endif

kernel void linear_f(read_only IMAGE image, int which, global const float4* at, global float4* out) {
  const sampler_t none = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_NONE | CLK_FILTER_LINEAR;
  const sampler_t edge = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
  const sampler_t clamped = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
  const sampler_t repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
  const sampler_t mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;
  const size_t i = get_global_id(0);
  switch (which) {
  case 3: out[i] = COLOR_OF(read_imagef(image, linear_none, AT(at[i]))); break;
  case 4: out[i] = COLOR_OF(read_imagef(image, linear_edge, AT(at[i]))); break;
  case 5: out[i] = COLOR_OF(read_imagef(image, linear_clamp, AT(at[i]))); break;
  case 11: out[i] = COLOR_OF(read_imagef(image, none, AT(at[i]))); break;
  case 12: out[i] = COLOR_OF(read_imagef(image, edge, AT(at[i]))); break;
  case 13: out[i] = COLOR_OF(read_imagef(image, clamped, AT(at[i]))); break;
  case 14: out[i] = COLOR_OF(read_imagef(image, repeat, AT(at[i]))); break;
  case 15: out[i] = COLOR_OF(read_imagef(image, mirrored, AT(at[i]))); break;
  }
}
