// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CLOTHO_ABI_IMAGE_H
#define CLOTHO_ABI_IMAGE_H

#include "abi/types.h"

/* Images and samplers as kernels see them. The argument block holds the address of an ImageDescriptor for an image and
   a number of 64 bits for a sampler. */

#ifdef __cplusplus
namespace clotho {
#endif

enum { kImageComponents = 4, kImageLevels = 16 };

/// How a component's bits become a number.
enum { kImageUnorm, kImageSnorm, kImageUint, kImageSint, kImageHalf, kImageFloat };

/// Position of one of the components R, G, B and A in a texel, which is one to four words of 32 bits. (The bytes of
/// smaller texels are the low ones of word 0.) The component's bits, as a number of 32 bits, are
/// `word << left >> right`. They are stored as `(bits & 0xffffffff >> right) << (right - left)`.
typedef struct ImageComponent {
  abi_u32 word;
  abi_u32 left;
  abi_u32 right;
  float scale; ///< a normalised number is the bits, as an integer, times this
} ImageComponent;

/// A format, as data. Code for one format is made from its bytes, so whatever depends on the format alone is in here.
typedef struct ImageFormat {
  abi_u32 order;       ///< cl_channel_order
  abi_u32 type;        ///< cl_channel_type
  abi_u32 encoding;    ///< kImageUnorm and so on, of all components
  abi_u32 texelSize;   ///< bytes: a power of two, at most 16
  abi_u32 isSrgb;      ///< R, G and B are stored by the transfer function of sRGB
  abi_u32 present;     ///< a bit for each component that is read from the texel; others read as 0, and alpha as 1
  abi_u32 stored;      ///< a bit for each component that is written to the texel
  abi_u32 borderAlpha; ///< alpha of the border colour, 0 or 1; its other components are 0. Of depth images, 0
  /// Whether each texel, of all levels, is less than 2 GiB behind the first, so that offsets fit into 32 bits.
  abi_u32 isSmall;
  ImageComponent components[kImageComponents];
} ImageFormat;

/// One level of a mipmap. Sizes are those of level 0, halved and rounded down once for each level, and at least 1.
typedef struct ImageLevel {
  abi_u64 offset;     ///< bytes from ImageDescriptor::base
  abi_u64 rowPitch;   ///< bytes between rows
  abi_u64 slicePitch; ///< bytes between slices of 3D images and between layers of arrays
} ImageLevel;

typedef struct ImageDescriptor {
  ImageFormat format;
  abi_u32 levelCount; ///< 1 of images without mipmaps
  // Size of level 0, in texels. Dimensions that the type of image does not have are 1.
  abi_u32 width;
  abi_u32 height;
  abi_u32 depth;
  abi_u32 layers; ///< of arrays
  abi_u32 reserved;
  abi_u64 base;       ///< the address of the first texel
  abi_u64 rowPitch;   ///< = levels[0].rowPitch
  abi_u64 slicePitch; ///< = levels[0].slicePitch; of arrays of rows (1D arrays) the bytes between layers, too
  ImageLevel levels[kImageLevels];
} ImageDescriptor;

/// A sampler's number. The low half is how clang encodes samplers in the source (CLK_NORMALIZED_COORDS_TRUE and so on).
enum {
  kSamplerNormalised = 1,
  kSamplerAddressing = 0xE, ///< mask
  kSamplerNone = 0,
  kSamplerClampToEdge = 2,
  kSamplerClamp = 4,
  kSamplerRepeat = 6,
  kSamplerMirroredRepeat = 8,
  kSamplerLinear = 0x20,    ///< else nearest
  kSamplerMipLinear = 0x80, ///< between levels; else nearest
  /// From this bit on, 16 bits: the least level of detail, in 1/256.
  kSamplerLeastLod = 32,
  /// From this bit on, 16 bits: 0xffff minus the largest level of detail, in 1/256.
  kSamplerLargestLod = 48,
};

#ifdef __cplusplus
} // namespace clotho
#endif

#endif
