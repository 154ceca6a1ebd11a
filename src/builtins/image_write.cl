// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "images.h"

// write_imagef, write_imageh, write_imagei and write_imageui (OpenCL C 3.0, section 6.15.15.5), with a level of detail,
// too (cl_khr_mipmap_image_writes). For SPIR-V, whose integers have no sign, __clotho_write_image takes them as the
// format wants. Each texel is one store of its own size, so that neighbours never conflict. Texels
// outside of the image are undefined; nothing is written then.

float PURE exp2(float x);
float PURE log2(float x);

INLINE bool isInside(int i, int size) { return (uint)i < (uint)size; }

INLINE void storeTexel(Format format, __global uchar* at, uint4 words) {
  switch (format->texelSize) {
  case 1: *at = (uchar)words.s0; break;
  case 2: *(__global ushort*)at = (ushort)words.s0; break;
  case 4: *(__global Unaligned1*)at = words.s0; break;
  case 8: *(__global Unaligned2*)at = words.s01; break;
  default: *(__global Unaligned4*)at = words; break;
  }
}

/// The word `number` of a texel with these components, as the low bits of numbers.
INLINE uint wordOf(Format format, uint number, uint4 components) {
  uint word = 0;
#define COMPONENT(i, value)                                                                                            \
  {                                                                                                                    \
    const __constant ImageComponent* const c = &format->components[i];                                                 \
    const uint bits = (value & 0xffffffffu >> c->right) << (c->right - c->left);                                       \
    word |= (format->stored >> i & 1) != 0 && c->word == number ? bits : 0;                                            \
  }
  COMPONENT(0, components.s0)
  COMPONENT(1, components.s1)
  COMPONENT(2, components.s2)
  COMPONENT(3, components.s3)
#undef COMPONENT
  return word;
}

INLINE uint4 wordsOf(Format format, uint4 components) {
  uint4 words = (uint4)(wordOf(format, 0, components), 0, 0, 0);
  if (format->texelSize > 4) words.s1 = wordOf(format, 1, components);
  if (format->texelSize > 8) words.s23 = (uint2)(wordOf(format, 2, components), wordOf(format, 3, components));
  return words;
}

/// The largest number of a component's bits.
INLINE float largestOf(Format format, uint component) {
  return (float)(int)(0xffffffffu >> (format->components[component].right & 31));
}

INLINE float unit(float x) { return atMost(atLeast(x, 0.0f), 1.0f); }

/// By the transfer function of sRGB; to half a step of the 255 that follow.
INLINE float srgbOf(float linear) {
  linear = unit(linear);
  const float curve = 1.055f * exp2(log2(linear) * (1 / 2.4f)) - 0.055f;
  return linear <= 0.0031308f ? 12.92f * linear : curve;
}

INLINE uint encodeUnorm(Format format, float value, uint component) {
  // Limited last: a product of what a comparison chooses would be another instruction.
  const float largest = largestOf(format, component);
  return (uint)(int)roundToNearest(atMost(atLeast(value * largest, 0.0f), largest));
}

INLINE uint encodeSnorm(Format format, float value, uint component) {
  const float largest = (float)(int)(0x7fffffffu >> (format->components[component].right & 31));
  const float scaled = value * largest, number = scaled == scaled ? scaled : 0.0f; // NaN is 0, as in convert_*_sat
  return (uint)(int)roundToNearest(atMost(atLeast(number, -largest - 1.0f), largest));
}

INLINE uint4 encodeFloat(Format format, float4 colour) {
#define EACH(F) (uint4)(F(colour.s0, 0), F(colour.s1, 1), F(colour.s2, 2), F(colour.s3, 3))
  switch (format->encoding) {
  case kImageFloat: return __builtin_astype(colour, uint4);
  case kImageHalf: {
#define HALF(value, component) (uint) __builtin_astype((half)(value), ushort)
    return EACH(HALF);
#undef HALF
  }
  case kImageSnorm: {
#define SNORM(value, component) encodeSnorm(format, value, component)
    return EACH(SNORM);
#undef SNORM
  }
  default: {
    if (format->isSrgb) colour.s012 = (float3)(srgbOf(colour.s0), srgbOf(colour.s1), srgbOf(colour.s2));
#define UNORM(value, component) encodeUnorm(format, value, component)
    return EACH(UNORM);
#undef UNORM
  }
  }
#undef EACH
}

/// A number that does not fit becomes the nearest one that does.
INLINE uint4 encodeUint(Format format, uint4 value) {
#define SATURATE(i) __builtin_elementwise_min(value.s##i, 0xffffffffu >> (format->components[i].right & 31))
  return (uint4)(SATURATE(0), SATURATE(1), SATURATE(2), SATURATE(3));
#undef SATURATE
}

INLINE uint saturate(Format format, int value, uint component) {
  const int most = (int)(0x7fffffffu >> (format->components[component].right & 31));
  return (uint)greatest(least(value, most), -most - 1);
}

INLINE uint4 encodeInt(Format format, int4 value) {
  return (uint4)(saturate(format, value.s0, 0), saturate(format, value.s1, 1), saturate(format, value.s2, 2),
                 saturate(format, value.s3, 3));
}

INLINE float4 floatsOf(half4 colour) { return __builtin_convertvector(colour, float4); }
INLINE float4 floatsOf(float depth) { return (float4)(depth, 0, 0, 0); }
INLINE uint4 encode(Format format, float4 colour) { return encodeFloat(format, colour); }
INLINE uint4 encode(Format format, float depth) { return encodeFloat(format, floatsOf(depth)); }
INLINE uint4 encode(Format format, half4 colour) { return encodeFloat(format, floatsOf(colour)); }
INLINE uint4 encode(Format format, int4 value) { return encodeInt(format, value); }
INLINE uint4 encode(Format format, uint4 value) { return encodeUint(format, value); }

INLINE bool isIn(Image image, Level level, int dimensions, bool isArray, int x, int y, int z) {
  return isInside(x, level.width) && (dimensions < 2 || isInside(y, level.height)) &&
         (dimensions < 3 || isInside(z, level.depth)) && (!isArray || isInside(z, (int)image->layers));
}

INLINE uint4 encodeInteger(Format format, uint4 value) {
  if (format->encoding == kImageSint) return encodeInt(format, __builtin_astype(value, int4));
  return encodeUint(format, value);
}

#define WRITE(NAME, T, ...) WRITE_AS(NAME, T, encode, __VA_ARGS__)
#define WRITE_LEVEL(NAME, T, ...) WRITE_LEVEL_AS(NAME, T, encode, __VA_ARGS__)
#define WRITE_AS(NAME, T, ENCODE, ACCESS, TYPE, DIMENSIONS, IS_ARRAY, INTS, X, Y, Z)                                   \
  void OVERLOAD NAME(ACCESS TYPE object, INTS c, T value) {                                                            \
    const Image image = __clotho_image(object);                                                                        \
    const Level level = firstLevel(image);                                                                             \
    const Format format = &image->format;                                                                              \
    if (isIn(image, level, DIMENSIONS, IS_ARRAY, X, Y, Z))                                                             \
      storeTexel(format, (__global uchar*)level.base + texelOffset(format, level, X, Y, Z),                            \
                 wordsOf(format, ENCODE(format, value)));                                                              \
  }
#define WRITE_LEVEL_AS(NAME, T, ENCODE, ACCESS, TYPE, DIMENSIONS, IS_ARRAY, INTS, X, Y, Z)                             \
  void OVERLOAD NAME(ACCESS TYPE object, INTS c, int lod, T value) {                                                   \
    const Image image = __clotho_image(object);                                                                        \
    const Level level = levelOf(image, lod);                                                                           \
    const Format format = &image->format;                                                                              \
    if (isInside(lod, (int)image->levelCount) && isIn(image, level, DIMENSIONS, IS_ARRAY, X, Y, Z))                    \
      storeTexel(format, (__global uchar*)level.base + texelOffset(format, level, X, Y, Z),                            \
                 wordsOf(format, ENCODE(format, value)));                                                              \
  }
#define EACH_WRITE(USE, ...)                                                                                           \
  USE(write_imagef, float4, encode, __VA_ARGS__)                                                                       \
  USE(write_imagei, int4, encode, __VA_ARGS__)                                                                         \
  USE(write_imageui, uint4, encode, __VA_ARGS__)                                                                       \
  USE(__clotho_write_image, uint4, encodeInteger, __VA_ARGS__)
#define WRITES_OF(ACCESS, ...) EACH_WRITE(WRITE_AS, ACCESS, __VA_ARGS__) WRITE(write_imageh, half4, ACCESS, __VA_ARGS__)
#define WRITES(...) WRITES_OF(write_only, __VA_ARGS__) WRITES_OF(read_write, __VA_ARGS__)
#define LEVEL_WRITES(...) EACH_WRITE(WRITE_LEVEL_AS, write_only, __VA_ARGS__)
#define EACH_LEVELLED(USE)                                                                                             \
  USE(image1d_t, 1, false, int, c, 0, 0)                                                                               \
  USE(image1d_array_t, 1, true, int2, c.x, 0, c.y)                                                                     \
  USE(image2d_t, 2, false, int2, c.x, c.y, 0)                                                                          \
  USE(image2d_array_t, 2, true, int4, c.x, c.y, c.z)                                                                   \
  USE(image3d_t, 3, false, int4, c.x, c.y, c.z)
EACH_LEVELLED(WRITES)
EACH_LEVELLED(LEVEL_WRITES)
WRITES(image1d_buffer_t, 1, false, int, c, 0, 0)

#define DEPTH_WRITES(ACCESS)                                                                                           \
  WRITE(write_imagef, float, ACCESS, image2d_depth_t, 2, false, int2, c.x, c.y, 0)                                     \
  WRITE(write_imagef, float, ACCESS, image2d_array_depth_t, 2, true, int4, c.x, c.y, c.z)
DEPTH_WRITES(write_only)
DEPTH_WRITES(read_write)
WRITE_LEVEL(write_imagef, float, write_only, image2d_depth_t, 2, false, int2, c.x, c.y, 0)
WRITE_LEVEL(write_imagef, float, write_only, image2d_array_depth_t, 2, true, int4, c.x, c.y, c.z)
