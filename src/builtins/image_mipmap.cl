// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image_sample.h"

// Reads of mipmaps (cl_khr_mipmap_image): with a level of detail, or with gradients that it follows from.

float PURE log2(float x);

INLINE float limitOf(ulong sampler, uint bit) { return (float)((uint)(sampler >> bit) & 0xffff) * (1.0f / 256); }

/// The level of detail, within the sampler's limits and those of the image.
INLINE float levelOfDetail(Image image, ulong sampler, float lod) {
  const float largest = 0xffff * (1.0f / 256) - limitOf(sampler, kSamplerLargestLod);
  lod = atMost(atLeast(lod, limitOf(sampler, kSamplerLeastLod)), largest);
  return atMost(atLeast(lod, 0.0f), (float)(image->levelCount - 1));
}

INLINE int nearestLevel(Image image, ulong sampler, float lod) {
  return (int)roundToNearest(levelOfDetail(image, sampler, lod));
}

INLINE float4 mipmapColour(Image image, int dimensions, ulong s, float x, float y, float z, int layer, float lod) {
  const bool isLinear = (uint)s & kSamplerMipLinear;
  const float place = levelOfDetail(image, s, lod);
  const float first = isLinear ? roundDown(place) : roundToNearest(place), weight = place - first;
  float4 sum = 0;
  for (int i = 0; i < 2; ++i) {
    const float4 colour = sampled(image, levelOf(image, (int)first + i), dimensions, s, x, y, z, layer);
    if (!isLinear) return colour;
    sum += (i == 0 ? 1 - weight : weight) * colour;
  }
  return sum;
}

#define MIPMAP_NUMBERS(NAME, T, AT)                                                                                    \
  INLINE T NAME(Image image, int dimensions, ulong s, float x, float y, float z, int layer, float lod) {               \
    const Level level = levelOf(image, nearestLevel(image, s, lod));                                                   \
    return AT(image, level, dimensions, s, nearestTexel(x, level.width, s),                                            \
              dimensions > 1 ? nearestTexel(y, level.height, s) : 0,                                                   \
              dimensions > 2 ? nearestTexel(z, level.depth, s) : layer);                                               \
  }
MIPMAP_NUMBERS(mipmapUints, uint4, uintsAt)
MIPMAP_NUMBERS(mipmapInts, int4, intsAt)
MIPMAP_NUMBERS(mipmapIntegers, uint4, integersAt)

/// Squared distance between the points that neighbouring work-items read, in texels of the first level. x, y and z are
/// a gradient of normalised coordinates.
INLINE float distanceOf(Image image, int dimensions, float x, float y, float z) {
  x *= (float)image->width;
  float square = x * x;
  if (dimensions > 1) {
    y *= (float)image->height;
    square += y * y;
  }
  if (dimensions > 2) {
    z *= (float)image->depth;
    square += z * z;
  }
  return square;
}

/// Level of detail for the larger of two squared distances: half the logarithm of the square is that of the distance.
INLINE float lodOf(float one, float other) { return 0.5f * log2(one > other ? one : other); }

#define FIRST(x) ((x).s0)
#define PLAIN(x) (x)
#define MIPMAP_READ(NAME, T, READ, CONVERT, TYPE, DIMENSIONS, FLOATS, X, Y, Z, LAYER, GRADIENT, GX, GY, GZ)            \
  T OVERLOAD NAME(read_only TYPE object, sampler_t sampler, FLOATS c, float lod) {                                     \
    const Image image = __clotho_image(object);                                                                        \
    return CONVERT(READ(image, DIMENSIONS, __clotho_sampler(sampler), X, Y, Z, LAYER, lod));                           \
  }                                                                                                                    \
  T OVERLOAD NAME(read_only TYPE object, sampler_t sampler, FLOATS c, GRADIENT dx, GRADIENT dy) {                      \
    const Image image = __clotho_image(object);                                                                        \
    const float lod = lodOf(distanceOf(image, DIMENSIONS, GX(dx), GY(dx), GZ(dx)),                                     \
                            distanceOf(image, DIMENSIONS, GX(dy), GY(dy), GZ(dy)));                                    \
    return CONVERT(READ(image, DIMENSIONS, __clotho_sampler(sampler), X, Y, Z, LAYER, lod));                           \
  }
#define MIPMAP(...)                                                                                                    \
  MIPMAP_READ(read_imagef, float4, mipmapColour, PLAIN, __VA_ARGS__)                                                   \
  MIPMAP_READ(read_imagei, int4, mipmapInts, PLAIN, __VA_ARGS__)                                                       \
  MIPMAP_READ(read_imageui, uint4, mipmapUints, PLAIN, __VA_ARGS__)                                                    \
  MIPMAP_READ(__clotho_read_image, uint4, mipmapIntegers, PLAIN, __VA_ARGS__)
#define SECOND(x) ((x).s1)
#define THIRD(x) ((x).s2)
#define NO(x) 0
MIPMAP(image1d_t, 1, float, c, 0, 0, 0, float, PLAIN, NO, NO)
MIPMAP(image1d_array_t, 1, float2, c.x, 0, 0, layerOf(c.y, image), float, PLAIN, NO, NO)
MIPMAP(image2d_t, 2, float2, c.x, c.y, 0, 0, float2, FIRST, SECOND, NO)
MIPMAP(image2d_array_t, 2, float4, c.x, c.y, 0, layerOf(c.z, image), float2, FIRST, SECOND, NO)
MIPMAP(image3d_t, 3, float4, c.x, c.y, c.z, 0, float4, FIRST, SECOND, THIRD)
MIPMAP_READ(read_imagef, float, mipmapColour, FIRST, image2d_depth_t, 2, float2, c.x, c.y, 0, 0, float2, FIRST, SECOND,
            NO)
MIPMAP_READ(read_imagef, float, mipmapColour, FIRST, image2d_array_depth_t, 2, float4, c.x, c.y, 0, layerOf(c.z, image),
            float2, FIRST, SECOND, NO)
