// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images with levels (cl_khr_mipmap_image and cl_khr_mipmap_image_writes). The build options are those of access.cl, and
// AXES, the coordinates without the layer.
#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
#ifdef cl_khr_mipmap_image_writes
#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable
#endif
#if COORDINATES == 1
#define AT(c) (c).x
#elif COORDINATES == 2
#define AT(c) (c).xy
#else
#define AT(c) (c)
#endif
#if AXES == 1
#define GRADIENT(c) (c).x
#elif AXES == 2
#define GRADIENT(c) (c).xy
#else
#define GRADIENT(c) (c)
#endif
#ifdef DEPTH
#define COLOR_OF(depth) (float4)((depth), 0, 0, 0)
#define OF_COLOR(color) (color).x
#else
#define COLOR_OF(color) color
#define OF_COLOR(color) color
#endif
#define SAME(color) color

#define LEVELS(letters, Color, out_of, in_of)                                                                          \
  kernel void lod_##letters(read_only IMAGE image, sampler_t sampler, global const float4* at,                         \
                            global const float* lods, global Color* out) {                                             \
    const size_t i = get_global_id(0);                                                                                 \
    out[i] = out_of(read_image##letters(image, sampler, AT(at[i]), lods[i]));                                          \
  }                                                                                                                    \
  kernel void gradient_##letters(read_only IMAGE image, sampler_t sampler, global const float4* at,                    \
                                 global const float4* dx, global const float4* dy, global Color* out) {                \
    const size_t i = get_global_id(0);                                                                                 \
    out[i] = out_of(read_image##letters(image, sampler, AT(at[i]), GRADIENT(dx[i]), GRADIENT(dy[i])));                 \
  }                                                                                                                    \
  kernel void base_##letters(read_only IMAGE image, sampler_t sampler, global const float4* at, global Color* out) {   \
    const size_t i = get_global_id(0);                                                                                 \
    out[i] = out_of(read_image##letters(image, sampler, AT(at[i])));                                                   \
  }                                                                                                                    \
  WRITES(letters, Color, in_of)

#ifdef cl_khr_mipmap_image_writes
#define WRITES(letters, Color, in_of)                                                                                  \
  kernel void write_##letters(write_only IMAGE image, global const int4* at, int lod, global const Color* colors) {    \
    const size_t i = get_global_id(0);                                                                                 \
    write_image##letters(image, AT(at[i]), lod, in_of(colors[i]));                                                     \
  }
#else
#define WRITES(letters, Color, in_of)
#endif

LEVELS(f, float4, COLOR_OF, OF_COLOR)
#ifndef DEPTH
LEVELS(ui, uint4, SAME, SAME)
#endif

kernel void count_levels(read_only IMAGE image, write_only IMAGE written, global int* out) {
  out[0] = get_image_num_mip_levels(image);
  out[1] = get_image_num_mip_levels(written);
  out[2] = get_image_width(image);
}
