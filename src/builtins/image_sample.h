// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "image_decode.h"

// From coordinates to texels: addressing modes and filters (OpenCL 2.2, sections 8.1 and 8.2). Addresses are always
// inside of the image; where the border's colour is wanted, it takes the place of what was read there. So nothing needs
// a mask, whatever the coordinates, and wrong ones do no harm.

/// An integer of a float that is one: texels further out than this are all alike, and the conversion is defined.
INLINE int toTexel(float x, int size) { return (int)atMost(atLeast(x, -2.0f), (float)size + 2.0f); }

INLINE uint addressing(ulong sampler) { return (uint)sampler & kSamplerAddressing; }

/// Along one dimension: the two texels that a linear filter weighs, before those that are outside move, and the second
/// one's weight.
typedef struct Neighbours {
  int first, second;
  float weight;
} Neighbours;

/// A coordinate in texels, for addressing modes that repeat the image.
INLINE float repeated(float s, int size, ulong sampler) {
  if (addressing(sampler) == kSamplerRepeat) return (s - roundDown(s)) * (float)size;
  return magnitude(s - 2.0f * roundToNearest(0.5f * s)) * (float)size;
}

INLINE bool isRepeated(ulong sampler) { return addressing(sampler) >= kSamplerRepeat; }

INLINE float inTexels(float s, int size, ulong sampler) {
  return (uint)sampler & kSamplerNormalised ? s * (float)size : s;
}

INLINE int nearestTexel(float s, int size, ulong sampler) {
  if (!isRepeated(sampler)) return toTexel(roundDown(inTexels(s, size, sampler)), size);
  const int i = toTexel(roundDown(repeated(s, size, sampler)), size);
  if (addressing(sampler) == kSamplerRepeat) return i > size - 1 ? i - size : i;
  return least(i, size - 1);
}

/// Integer coordinates address texels themselves.
INLINE int nearestTexel(int i, int size, ulong sampler) { return i; }

INLINE Neighbours neighbours(float s, int size, ulong sampler) {
  const bool repeats = isRepeated(sampler);
  const float u = (repeats ? repeated(s, size, sampler) : inTexels(s, size, sampler)) - 0.5f;
  const float below = roundDown(u);
  Neighbours result = {toTexel(below, size), 0, u - below};
  result.second = result.first + 1;
  if (addressing(sampler) == kSamplerRepeat) {
    result.first = result.first < 0 ? result.first + size : result.first;
    result.second = result.second > size - 1 ? result.second - size : result.second;
  }
  return result;
}

/// The layer of an array: the nearest there is.
INLINE int layerOf(float layer, Image image) {
  return clampTexel(toTexel(roundToNearest(layer), (int)image->layers), (int)image->layers);
}
INLINE int layerOf(int layer, Image image) { return clampTexel(layer, (int)image->layers); }

INLINE bool isOutside(int i, int size) { return (uint)i >= (uint)size; }

/// The words of the texel at (x, y, z), of images with so many dimensions beside layers.
INLINE uint4 wordsAt(Image image, Level level, int dimensions, int x, int y, int z) {
  x = clampTexel(x, level.width);
  if (dimensions > 1) y = clampTexel(y, level.height);
  if (dimensions > 2) z = clampTexel(z, level.depth);
  const Format format = &image->format;
  return loadTexel(format, (const __constant uchar*)level.base + insideOffset(format, level, x, y, z));
}

INLINE bool isBorder(Level level, int dimensions, ulong sampler, int x, int y, int z) {
  return addressing(sampler) == kSamplerClamp &&
         (isOutside(x, level.width) || (dimensions > 1 && isOutside(y, level.height)) ||
          (dimensions > 2 && isOutside(z, level.depth)));
}

#define TEXEL_AT(NAME, DECODE, T, S)                                                                                   \
  INLINE T NAME(Image image, Level level, int dimensions, ulong sampler, int x, int y, int z) {                        \
    const T colour = DECODE(&image->format, wordsAt(image, level, dimensions, x, y, z));                               \
    if (addressing(sampler) != kSamplerClamp) return colour;                                                           \
    const bool border = isBorder(level, dimensions, sampler, x, y, z);                                                 \
    return (T)(border ? 0 : colour.s0, border ? 0 : colour.s1, border ? 0 : colour.s2,                                 \
               border ? (S)image->format.borderAlpha : colour.s3);                                                     \
  }
TEXEL_AT(colourAt, decodeFloat, float4, float)
TEXEL_AT(uintsAt, decodeUint, uint4, uint)
TEXEL_AT(intsAt, decodeInt, int4, int)
TEXEL_AT(integersAt, decodeInteger, uint4, uint)

INLINE Neighbours texels(float s, int size, ulong sampler) {
  if ((uint)sampler & kSamplerLinear) return neighbours(s, size, sampler);
  const Neighbours nearest = {nearestTexel(s, size, sampler), 0, 0};
  return nearest;
}

/// The nearest texel, or the weighted mean of the 2, 4 or 8 texels around a place. `layer`: of images with fewer than
/// three dimensions.
INLINE float4 sampled(Image image, Level level, int dimensions, ulong sampler, float x, float y, float z, int layer) {
  const bool isLinear = (uint)sampler & kSamplerLinear;
  const Neighbours alongX = texels(x, level.width, sampler);
  Neighbours alongY = {0, 0, 0}, alongZ = {layer, layer, 0};
  if (dimensions > 1) alongY = texels(y, level.height, sampler);
  if (dimensions > 2) alongZ = texels(z, level.depth, sampler);
  float4 sum = 0;
  for (int corner = 0; corner < 1 << dimensions; ++corner) {
    const bool right = corner & 1, lower = corner & 2, back = corner & 4;
    const float4 colour = colourAt(image, level, dimensions, sampler, right ? alongX.second : alongX.first,
                                   lower ? alongY.second : alongY.first, back ? alongZ.second : alongZ.first);
    if (!isLinear) return colour;
    float weight = right ? alongX.weight : 1 - alongX.weight;
    if (dimensions > 1) weight *= lower ? alongY.weight : 1 - alongY.weight;
    if (dimensions > 2) weight *= back ? alongZ.weight : 1 - alongZ.weight;
    sum += weight * colour;
  }
  return sum;
}
