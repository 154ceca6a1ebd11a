// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image_sample.h"

// read_imagef, read_imageh, read_imagei and read_imageui (OpenCL C 3.0, sections 6.15.15.2 to 6.15.15.4), and
// __clotho_read_image for SPIR-V, whose integers have no sign: it is read_imagei or read_imageui as the format wants.

// Each type of image: its name, how many dimensions it has, the types of coordinates, and of a coordinate c and a
// sampler s that of each dimension and the texel in the third, or the layer: for the filters, as DEPTH, a coordinate.
#define EACH_SAMPLED(USE)                                                                                              \
  USE(image1d_t, 1, int, float, c, 0, 0, 0, 0)                                                                         \
  USE(image1d_array_t, 1, int2, float2, c.x, 0, 0, layerOf(c.y, image), layerOf(c.y, image))                           \
  USE(image2d_t, 2, int2, float2, c.x, c.y, 0, 0, 0)                                                                   \
  USE(image2d_array_t, 2, int4, float4, c.x, c.y, 0, layerOf(c.z, image), layerOf(c.z, image))                         \
  USE(image3d_t, 3, int4, float4, c.x, c.y, c.z, nearestTexel(c.z, level.depth, s), 0)
#define EACH_SAMPLED_DEPTH(USE)                                                                                        \
  USE(image2d_depth_t, 2, int2, float2, c.x, c.y, 0, 0, 0)                                                             \
  USE(image2d_array_depth_t, 2, int4, float4, c.x, c.y, 0, layerOf(c.z, image), layerOf(c.z, image))

#define IMAGE_AND_LEVEL(IMAGE)                                                                                         \
  const Image image = __clotho_image(IMAGE);                                                                           \
  const Level level = sampledLevel(image);
#define HALF4(x) __builtin_convertvector(x, half4)
#define PLAIN(x) (x)
#define FIRST(x) ((x).s0)

// With a sampler. Integer coordinates name a texel, so there is nothing to filter.
#define NEAREST(NAME, T, AT, CONVERT, TYPE, DIMENSIONS, COORDINATE, X, Y, TEXEL_Z)                                     \
  T OVERLOAD NAME(read_only TYPE object, sampler_t sampler, COORDINATE c) {                                            \
    IMAGE_AND_LEVEL(object)                                                                                            \
    const ulong s = __clotho_sampler(sampler);                                                                         \
    return CONVERT(AT(image, level, DIMENSIONS, s, nearestTexel(X, level.width, s),                                    \
                      DIMENSIONS > 1 ? nearestTexel(Y, level.height, s) : 0, TEXEL_Z));                                \
  }
#define SAMPLE(NAME, T, CONVERT, TYPE, DIMENSIONS, COORDINATE, X, Y, Z, LAYER)                                         \
  T OVERLOAD NAME(read_only TYPE object, sampler_t sampler, COORDINATE c) {                                            \
    IMAGE_AND_LEVEL(object)                                                                                            \
    const ulong s = __clotho_sampler(sampler);                                                                         \
    return CONVERT(sampled(image, level, DIMENSIONS, s, X, Y, Z, LAYER));                                              \
  }
#define SAMPLED(TYPE, DIMENSIONS, INTS, FLOATS, X, Y, Z, TEXEL_Z, LAYER)                                               \
  NEAREST(read_imagef, float4, colourAt, PLAIN, TYPE, DIMENSIONS, INTS, X, Y, TEXEL_Z)                                 \
  NEAREST(read_imageh, half4, colourAt, HALF4, TYPE, DIMENSIONS, INTS, X, Y, TEXEL_Z)                                  \
  NEAREST(read_imagei, int4, intsAt, PLAIN, TYPE, DIMENSIONS, INTS, X, Y, TEXEL_Z)                                     \
  NEAREST(read_imagei, int4, intsAt, PLAIN, TYPE, DIMENSIONS, FLOATS, X, Y, TEXEL_Z)                                   \
  NEAREST(read_imageui, uint4, uintsAt, PLAIN, TYPE, DIMENSIONS, INTS, X, Y, TEXEL_Z)                                  \
  NEAREST(read_imageui, uint4, uintsAt, PLAIN, TYPE, DIMENSIONS, FLOATS, X, Y, TEXEL_Z)                                \
  NEAREST(__clotho_read_image, uint4, integersAt, PLAIN, TYPE, DIMENSIONS, INTS, X, Y, TEXEL_Z)                        \
  NEAREST(__clotho_read_image, uint4, integersAt, PLAIN, TYPE, DIMENSIONS, FLOATS, X, Y, TEXEL_Z)                      \
  SAMPLE(read_imagef, float4, PLAIN, TYPE, DIMENSIONS, FLOATS, X, Y, Z, LAYER)                                         \
  SAMPLE(read_imageh, half4, HALF4, TYPE, DIMENSIONS, FLOATS, X, Y, Z, LAYER)
EACH_SAMPLED(SAMPLED)
#define SAMPLED_DEPTH(TYPE, DIMENSIONS, INTS, FLOATS, X, Y, Z, TEXEL_Z, LAYER)                                         \
  NEAREST(read_imagef, float, colourAt, FIRST, TYPE, DIMENSIONS, INTS, X, Y, TEXEL_Z)                                  \
  SAMPLE(read_imagef, float, FIRST, TYPE, DIMENSIONS, FLOATS, X, Y, Z, LAYER)
EACH_SAMPLED_DEPTH(SAMPLED_DEPTH)

// Without a sampler. Coordinates outside are undefined; they read the nearest texel.
#define WORDS_AT(ACCESS, SPACE)                                                                                        \
  INLINE uint4 ACCESS##WordsAt(Image image, int dimensions, int x, int y, int z) {                                     \
    const Level level = firstLevel(image);                                                                             \
    const Format format = &image->format;                                                                              \
    x = clampTexel(x, level.width);                                                                                    \
    if (dimensions > 1) y = clampTexel(y, level.height);                                                               \
    if (dimensions > 2) z = clampTexel(z, level.depth);                                                                \
    return loadTexel(format, (const SPACE uchar*)level.base + insideOffset(format, level, x, y, z));                   \
  }
WORDS_AT(read_only, __constant)
WORDS_AT(read_write, __global)

#define PLAIN_READ(NAME, T, DECODE, CONVERT, ACCESS, TYPE, DIMENSIONS, INTS, X, Y, Z)                                  \
  T OVERLOAD NAME(ACCESS TYPE object, INTS c) {                                                                        \
    const Image image = __clotho_image(object);                                                                        \
    return CONVERT(DECODE(&image->format, ACCESS##WordsAt(image, DIMENSIONS, X, Y, Z)));                               \
  }
#define PLAIN_READS_OF(ACCESS, TYPE, DIMENSIONS, INTS, X, Y, Z)                                                        \
  PLAIN_READ(read_imagef, float4, decodeFloat, PLAIN, ACCESS, TYPE, DIMENSIONS, INTS, X, Y, Z)                         \
  PLAIN_READ(read_imageh, half4, decodeFloat, HALF4, ACCESS, TYPE, DIMENSIONS, INTS, X, Y, Z)                          \
  PLAIN_READ(read_imagei, int4, decodeInt, PLAIN, ACCESS, TYPE, DIMENSIONS, INTS, X, Y, Z)                             \
  PLAIN_READ(read_imageui, uint4, decodeUint, PLAIN, ACCESS, TYPE, DIMENSIONS, INTS, X, Y, Z)                          \
  PLAIN_READ(__clotho_read_image, uint4, decodeInteger, PLAIN, ACCESS, TYPE, DIMENSIONS, INTS, X, Y, Z)
#define PLAIN_READS(...) PLAIN_READS_OF(read_only, __VA_ARGS__) PLAIN_READS_OF(read_write, __VA_ARGS__)
PLAIN_READS(image1d_t, 1, int, c, 0, 0)
PLAIN_READS(image1d_buffer_t, 1, int, c, 0, 0)
PLAIN_READS(image1d_array_t, 1, int2, c.x, 0, layerOf(c.y, image))
PLAIN_READS(image2d_t, 2, int2, c.x, c.y, 0)
PLAIN_READS(image2d_array_t, 2, int4, c.x, c.y, layerOf(c.z, image))
PLAIN_READS(image3d_t, 3, int4, c.x, c.y, c.z)
#define DEPTH_READS(...)                                                                                               \
  PLAIN_READ(read_imagef, float, decodeFloat, FIRST, read_only, __VA_ARGS__)                                           \
  PLAIN_READ(read_imagef, float, decodeFloat, FIRST, read_write, __VA_ARGS__)
DEPTH_READS(image2d_depth_t, 2, int2, c.x, c.y, 0)
DEPTH_READS(image2d_array_depth_t, 2, int4, c.x, c.y, layerOf(c.z, image))
