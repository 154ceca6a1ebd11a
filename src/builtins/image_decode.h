// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "images.h"

// From the words of a texel to its colour. Which components there are, where they lie and how wide they are is data;
// how bits become numbers is a branch on the format, which is the same for all work-items.

#define LOAD_TEXEL(SPACE)                                                                                              \
  INLINE uint4 loadTexel(Format format, const SPACE uchar* at) {                                                       \
    switch (format->texelSize) {                                                                                       \
    case 1: return (uint4)(*at, 0, 0, 0);                                                                              \
    case 2: return (uint4)(*(const SPACE ushort*)at, 0, 0, 0);                                                         \
    case 4: return (uint4)(*(const SPACE Unaligned1*)at, 0, 0, 0);                                                     \
    case 8: {                                                                                                          \
      const uint2 words = *(const SPACE Unaligned2*)at;                                                                \
      return (uint4)(words, 0, 0);                                                                                     \
    }                                                                                                                  \
    default: return *(const SPACE Unaligned4*)at;                                                                      \
    }                                                                                                                  \
  }
LOAD_TEXEL(__constant) // of images that are only read: nothing changes them while the kernel runs
LOAD_TEXEL(__global)

/// The bits of each component in the high end of a word. (Of texels of up to four bytes all lie in the first.)
INLINE uint4 componentsAtTop(Format format, uint4 words) {
#define COMPONENT(i)                                                                                                   \
  ((format->components[i].word == 0   ? words.s0                                                                       \
    : format->components[i].word == 1 ? words.s1                                                                       \
    : format->components[i].word == 2 ? words.s2                                                                       \
                                      : words.s3)                                                                      \
   << format->components[i].left)
  return (uint4)(COMPONENT(0), COMPONENT(1), COMPONENT(2), COMPONENT(3));
#undef COMPONENT
}

INLINE uint4 unsignedComponents(Format format, uint4 words) {
  const uint4 top = componentsAtTop(format, words);
  return (uint4)(top.s0 >> format->components[0].right, top.s1 >> format->components[1].right,
                 top.s2 >> format->components[2].right, top.s3 >> format->components[3].right);
}

INLINE int4 signedComponents(Format format, uint4 words) {
  const int4 top = __builtin_astype(componentsAtTop(format, words), int4);
  return (int4)(top.s0 >> format->components[0].right, top.s1 >> format->components[1].right,
                top.s2 >> format->components[2].right, top.s3 >> format->components[3].right);
}

/// Absent components read as 0, and alpha as 1.
#define WITH_ABSENT(T, colour)                                                                                         \
  (T)(format->present & 1 ? colour.s0 : 0, format->present & 2 ? colour.s1 : 0, format->present & 4 ? colour.s2 : 0,   \
      format->present & 8 ? colour.s3 : 1)

/// The linear intensity of each value of sRGB, correctly rounded (Khronos Data Format Specification, section 13.3).
extern const __constant float __clotho_linear_of_srgb[256];

INLINE float4 scalesOf(Format format) {
  return (float4)(format->components[0].scale, format->components[1].scale, format->components[2].scale,
                  format->components[3].scale);
}

INLINE float4 decodeFloat(Format format, uint4 words) {
  const uint4 bits = unsignedComponents(format, words);
  float4 colour;
  switch (format->encoding) {
  case kImageFloat: colour = __builtin_astype(bits, float4); break;
  case kImageHalf:
    colour = __builtin_convertvector(__builtin_astype(__builtin_convertvector(bits, ushort4), half4), float4);
    break;
  case kImageSnorm: {
    // The least number is below -1 (section 8.3.1.1).
    const float4 value = __builtin_convertvector(signedComponents(format, words), float4) * scalesOf(format);
    colour = (float4)(atLeast(value.s0, -1.0f), atLeast(value.s1, -1.0f), atLeast(value.s2, -1.0f),
                      atLeast(value.s3, -1.0f));
    break;
  }
  default: // of at most 16 bits
    colour = __builtin_convertvector(__builtin_astype(bits, int4), float4) * scalesOf(format);
    if (format->isSrgb)
      colour.s012 = (float3)(__clotho_linear_of_srgb[bits.s0 & 255], __clotho_linear_of_srgb[bits.s1 & 255],
                             __clotho_linear_of_srgb[bits.s2 & 255]);
    break;
  }
  return WITH_ABSENT(float4, colour);
}

INLINE uint4 decodeUint(Format format, uint4 words) {
  const uint4 colour = unsignedComponents(format, words);
  return WITH_ABSENT(uint4, colour);
}

/// The bits of integers as the format has them, signed or not: of images for whose texels the program does not say it.
INLINE uint4 decodeInteger(Format format, uint4 words) {
  const uint4 colour = format->encoding == kImageSint ? __builtin_astype(signedComponents(format, words), uint4)
                                                      : unsignedComponents(format, words);
  return WITH_ABSENT(uint4, colour);
}

INLINE int4 decodeInt(Format format, uint4 words) {
  const int4 colour = signedComponents(format, words);
  return WITH_ABSENT(int4, colour);
}
