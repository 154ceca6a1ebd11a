// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and writes of images of one type. The build options say which: IMAGE is the type, COORDINATES how many
// coordinates it has with the layer; DEPTH and NO_SAMPLER (1D images from buffers) are what they say.
#if COORDINATES == 1
#define AT(c) (c).x
#elif COORDINATES == 2
#define AT(c) (c).xy
#else
#define AT(c) (c)
#endif

#ifdef DEPTH
#define COLOR_OF(depth) (float4)((depth), 0, 0, 0)
#define OF_COLOR(color) (color).x
#else
#define COLOR_OF(color) color
#define OF_COLOR(color) color
#endif
#define SAME(color) color

// A texel for each work-item: read with a sampler at real and at integer coordinates, read without, written, and
// changed in place.
#define SAMPLED(letters, Color, name, At, out_of)                                                                      \
  kernel void sample_##letters##_##name(read_only IMAGE image, sampler_t sampler, global const At* at,                 \
                                        global Color* out) {                                                           \
    const size_t i = get_global_id(0);                                                                                 \
    out[i] = out_of(read_image##letters(image, sampler, AT(at[i])));                                                   \
  }
#define PLAIN(letters, Color, out_of, in_of)                                                                           \
  kernel void read_##letters(read_only IMAGE image, global const int4* at, global Color* out) {                        \
    const size_t i = get_global_id(0);                                                                                 \
    out[i] = out_of(read_image##letters(image, AT(at[i])));                                                            \
  }                                                                                                                    \
  kernel void write_##letters(write_only IMAGE image, global const int4* at, global const Color* colors) {             \
    const size_t i = get_global_id(0);                                                                                 \
    write_image##letters(image, AT(at[i]), in_of(colors[i]));                                                          \
  }                                                                                                                    \
  kernel void change_##letters(read_write IMAGE image, global const int4* at, global const Color* colors,              \
                               global Color* before, global Color* after) {                                            \
    const size_t i = get_global_id(0);                                                                                 \
    before[i] = out_of(read_image##letters(image, AT(at[i])));                                                         \
    write_image##letters(image, AT(at[i]), in_of(colors[i]));                                                          \
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);                         \
    after[i] = out_of(read_image##letters(image, AT(at[i])));                                                          \
  }

PLAIN(f, float4, COLOR_OF, OF_COLOR)
#ifndef NO_SAMPLER
SAMPLED(f, float4, real, float4, COLOR_OF)
SAMPLED(f, float4, integer, int4, COLOR_OF)
#endif

#ifndef DEPTH
PLAIN(i, int4, SAME, SAME)
PLAIN(ui, uint4, SAME, SAME)
#ifndef NO_SAMPLER
SAMPLED(i, int4, real, float4, SAME)
SAMPLED(i, int4, integer, int4, SAME)
SAMPLED(ui, uint4, real, float4, SAME)
SAMPLED(ui, uint4, integer, int4, SAME)
#endif

#ifdef HALF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
PLAIN(h, float4, convert_float4, convert_half4)
#ifndef NO_SAMPLER
SAMPLED(h, float4, real, float4, convert_float4)
SAMPLED(h, float4, integer, int4, convert_float4)
#endif
#endif
#endif
