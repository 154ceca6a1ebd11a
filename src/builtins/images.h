// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "builtins.h"

#include "abi/image.h"

// Images (OpenCL C 3.0, section 6.15.15, and section 8 for addressing, filtering and conversions), as plain OpenCL C on
// the descriptor of an image. All of it is inlined into kernels before they are widened, so that coordinates keep their
// shapes, and branches that depend on the format or the sampler alone stay branches, or disappear where these are
// known.

#pragma OPENCL EXTENSION cl_khr_depth_images : enable
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

#define INLINE static inline __attribute__((overloadable, always_inline))

typedef const __constant ImageDescriptor* Image;
typedef const __constant ImageFormat* Format;

// The descriptor behind an image argument, and the number behind a sampler: calls of these disappear where the types of
// OpenCL C's objects become what kernels are really given (LowerObjectsPass).
#define EACH_ACCESS(USE, TYPE) USE(read_only TYPE) USE(write_only TYPE) USE(read_write TYPE)
#define EACH_COLOUR_IMAGE(USE)                                                                                         \
  EACH_ACCESS(USE, image1d_t)                                                                                          \
  EACH_ACCESS(USE, image1d_buffer_t)                                                                                   \
  EACH_ACCESS(USE, image1d_array_t)                                                                                    \
  EACH_ACCESS(USE, image2d_t)                                                                                          \
  EACH_ACCESS(USE, image2d_array_t)                                                                                    \
  EACH_ACCESS(USE, image3d_t)
#define EACH_DEPTH_IMAGE(USE) EACH_ACCESS(USE, image2d_depth_t) EACH_ACCESS(USE, image2d_array_depth_t)
#define EACH_IMAGE(USE) EACH_COLOUR_IMAGE(USE) EACH_DEPTH_IMAGE(USE)

#define DECLARE_DESCRIPTOR(TYPE) Image OVERLOAD __clotho_image(TYPE image);
EACH_IMAGE(DECLARE_DESCRIPTOR)
ulong OVERLOAD __clotho_sampler(sampler_t sampler);

/// One level of an image, and of arrays one of all layers.
typedef struct Level {
  ulong base;
  ulong rowPitch, slicePitch;
  int width, height, depth;
} Level;

INLINE Level firstLevel(Image image) {
  Level level = {image->base,       image->rowPitch,    image->slicePitch,
                 (int)image->width, (int)image->height, (int)image->depth};
  return level;
}

/// The bits of a size of an image that can be read with a sampler, which has at most 32768 texels along a dimension.
/// The compiler learns from sizes that small that floats name texels exactly (IntegerCoordinatesPass).
enum { kSampledSizes = 0xfffff };
INLINE Level sampledLevel(Image image) {
  Level level = firstLevel(image);
  level.width &= kSampledSizes;
  level.height &= kSampledSizes;
  level.depth &= kSampledSizes;
  return level;
}

/// For a level that may differ between work-items. Levels that there are not are the nearest there is.
INLINE Level levelOf(Image image, int number) {
  const uint last = image->levelCount - 1;
  const uint n = number < 0 ? 0u : (uint)number > last ? last : (uint)number;
  const int width = ((int)image->width & kSampledSizes) >> n, height = ((int)image->height & kSampledSizes) >> n,
            depth = ((int)image->depth & kSampledSizes) >> n;
  const __constant ImageLevel* const at = &image->levels[n];
  Level level = {image->base + at->offset, at->rowPitch,         at->slicePitch, width < 1 ? 1 : width,
                 height < 1 ? 1 : height,  depth < 1 ? 1 : depth};
  return level;
}

INLINE int least(int a, int b) { return __builtin_elementwise_min(a, b); }
INLINE int greatest(int a, int b) { return __builtin_elementwise_max(a, b); }

INLINE float roundDown(float x) { return __builtin_elementwise_floor(x); }
INLINE float roundToNearest(float x) { return __builtin_elementwise_rint(x); }
INLINE float magnitude(float x) { return __builtin_elementwise_abs(x); }
/// The second number also if the first is none.
INLINE float atLeast(float x, float least) { return x > least ? x : least; }
INLINE float atMost(float x, float most) { return x < most ? x : most; }

/// The nearest of the numbers from 0 to size - 1.
INLINE int clampTexel(int i, int size) { return least(greatest(i, 0), size - 1); }

/// Bytes from the level's first texel.
INLINE long texelOffset(Format format, Level level, int x, int y, int z) {
  return z * (long)level.slicePitch + y * (long)level.rowPitch + x * (long)format->texelSize;
}

/// Bytes from the level's first texel to one that exists. Small images compute in 32 bits, which gathers take as they
/// are.
INLINE long insideOffset(Format format, Level level, int x, int y, int z) {
  if (format->isSmall) return z * (int)level.slicePitch + y * (int)level.rowPitch + x * (int)format->texelSize;
  return texelOffset(format, level, x, y, z);
}

// Texels of host pointers need not be aligned. (Those of two bytes are, by the rules of clCreateImage: smaller pieces
// than 32 bits are gathered as pieces of aligned words.)
typedef uint __attribute__((aligned(1))) Unaligned1;
typedef uint __attribute__((ext_vector_type(2), aligned(1))) Unaligned2;
typedef uint __attribute__((ext_vector_type(4), aligned(1))) Unaligned4;

INLINE float asFloat(uint bits) { return __builtin_astype(bits, float); }
INLINE uint asUint(float number) { return __builtin_astype(number, uint); }
