// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/image.h"

#include <CL/cl.h>

#include <algorithm>
#include <array>

/// The table of formats that images may have: the runtime makes images of them, the compiler code for one.
namespace clotho::image_formats {

enum Component : unsigned { R, G, B, A };

constexpr unsigned bitOf(unsigned component) { return 1U << component; }

/// Channel order: the component that each channel of a texel is, in the order of memory.
struct Order {
  cl_channel_order order;
  unsigned channels;                 ///< that take room in a texel
  std::array<unsigned, 4> component; ///< of each channel
  unsigned present;                  ///< the components that are read; kX marks channels that are not
};

// An order with an x has the channels of the one without, and no alpha at the border (OpenCL 1.1, table 5.6); only of
// the orders that are like RGB the x is a channel, since without it a texel is no power of two.
inline constexpr unsigned kRgb = bitOf(R) | bitOf(G) | bitOf(B);
inline constexpr unsigned kRgba = kRgb | bitOf(A);
inline constexpr Order kR{CL_R, 1, {R}, bitOf(R)}, kRx{CL_Rx, 1, {R}, bitOf(R)}, kA{CL_A, 1, {A}, bitOf(A)};
inline constexpr Order kIntensity{CL_INTENSITY, 1, {R}, kRgba}, kLuminance{CL_LUMINANCE, 1, {R}, kRgb};
inline constexpr Order kDepth{CL_DEPTH, 1, {R}, bitOf(R)};
inline constexpr Order kRG{CL_RG, 2, {R, G}, bitOf(R) | bitOf(G)}, kRGx{CL_RGx, 2, {R, G}, bitOf(R) | bitOf(G)};
inline constexpr Order kRA{CL_RA, 2, {R, A}, bitOf(R) | bitOf(A)};
inline constexpr Order kRGB{CL_RGB, 3, {R, G, B}, kRgb}, kRGBx{CL_RGBx, 3, {R, G, B}, kRgb};
inline constexpr Order kRGBA{CL_RGBA, 4, {R, G, B, A}, kRgba}, kBGRA{CL_BGRA, 4, {B, G, R, A}, kRgba};
inline constexpr Order kARGB{CL_ARGB, 4, {A, R, G, B}, kRgba}, kABGR{CL_ABGR, 4, {A, B, G, R}, kRgba};
inline constexpr Order kSRGBx{CL_sRGBx, 4, {R, G, B, A}, kRgb}, kSRGBA{CL_sRGBA, 4, {R, G, B, A}, kRgba};
inline constexpr Order kSBGRA{CL_sBGRA, 4, {B, G, R, A}, kRgba};

/// Channel type: the width and meaning of a channel.
struct Type {
  cl_channel_type type;
  unsigned encoding;
  std::array<unsigned, 4> bits; ///< of each channel
  unsigned packedBytes;         ///< of a texel whose first channel has the highest bits; 0: channels lie one by one
};

constexpr Type each(cl_channel_type type, unsigned encoding, unsigned bits) {
  return {type, encoding, {bits, bits, bits, bits}, 0};
}
inline constexpr Type kUnorm8 = each(CL_UNORM_INT8, kImageUnorm, 8), kUnorm16 = each(CL_UNORM_INT16, kImageUnorm, 16);
inline constexpr Type kSnorm8 = each(CL_SNORM_INT8, kImageSnorm, 8), kSnorm16 = each(CL_SNORM_INT16, kImageSnorm, 16);
inline constexpr Type kSigned8 = each(CL_SIGNED_INT8, kImageSint, 8), kSigned16 = each(CL_SIGNED_INT16, kImageSint, 16);
inline constexpr Type kSigned32 = each(CL_SIGNED_INT32, kImageSint, 32);
inline constexpr Type kUnsigned8 = each(CL_UNSIGNED_INT8, kImageUint, 8);
inline constexpr Type kUnsigned16 = each(CL_UNSIGNED_INT16, kImageUint, 16);
inline constexpr Type kUnsigned32 = each(CL_UNSIGNED_INT32, kImageUint, 32);
inline constexpr Type kHalf = each(CL_HALF_FLOAT, kImageHalf, 16), kFloat = each(CL_FLOAT, kImageFloat, 32);
inline constexpr Type k565{CL_UNORM_SHORT_565, kImageUnorm, {5, 6, 5}, 2},
    k555{CL_UNORM_SHORT_555, kImageUnorm, {5, 5, 5}, 2};
inline constexpr Type k101010{CL_UNORM_INT_101010, kImageUnorm, {10, 10, 10}, 4};
inline constexpr Type k1010102{CL_UNORM_INT_101010_2, kImageUnorm, {10, 10, 10, 2}, 4};

inline constexpr std::array kPlainTypes = {kUnorm8,   kUnorm16,   kSnorm8,     kSnorm16,    kSigned8, kSigned16,
                                           kSigned32, kUnsigned8, kUnsigned16, kUnsigned32, kHalf,    kFloat};
inline constexpr std::array kShadeTypes = {kUnorm8, kUnorm16, kSnorm8, kSnorm16, kHalf, kFloat};
inline constexpr std::array kByteTypes = {kUnorm8, kSnorm8, kSigned8, kUnsigned8};
inline constexpr std::array kPackedTypes = {k565, k555, k101010};

constexpr bool isSrgb(cl_channel_order order) { return order == CL_sRGBx || order == CL_sRGBA || order == CL_sBGRA; }

constexpr float scaleOf(unsigned encoding, unsigned bits) {
  if (encoding == kImageUnorm) return 1.0F / static_cast<float>((1U << bits) - 1);
  if (encoding == kImageSnorm) return 1.0F / static_cast<float>((1U << (bits - 1)) - 1);
  return 1.0F;
}

/// Bits of a texel, from its lowest on.
constexpr ImageComponent componentAt(unsigned lowest, unsigned bits, unsigned encoding) {
  ImageComponent result{};
  result.word = lowest / 32;
  result.right = 32 - bits;
  result.left = result.right - lowest % 32;
  result.scale = scaleOf(encoding, bits);
  return result;
}

constexpr ImageFormat makeFormat(const Order& order, const Type& type) {
  ImageFormat format{};
  format.order = order.order;
  format.type = type.type;
  format.encoding = type.encoding;
  const unsigned bytes = type.packedBytes ? type.packedBytes : order.channels * type.bits[0] / 8;
  format.texelSize = static_cast<unsigned>(bytes);
  format.isSrgb = isSrgb(order.order);
  format.present = order.present;
  // Borders of orders without alpha are opaque (OpenCL C 3.0, "Determining the border color or value"). The
  // specification counts orders with an x as having alpha, the conformance suite as having none (docs/decisions.md).
  format.borderAlpha = !(order.present & bitOf(A)) && order.order != CL_DEPTH;
  unsigned packedEnd = 0; // of the bits that channels take
  for (unsigned channel = 0; channel < order.channels; ++channel)
    packedEnd += type.bits[channel];
  unsigned lowest = 0;
  for (unsigned channel = 0; channel < order.channels; ++channel) {
    const unsigned bits = type.bits[channel], component = order.component[channel];
    packedEnd -= bits;
    // The padding of CL_sRGBx texels is written with the alpha that it is given.
    if ((order.present & bitOf(component)) || order.order == CL_sRGBx) {
      format.stored |= bitOf(component);
      format.components[component] = componentAt(type.packedBytes ? packedEnd : lowest, bits, type.encoding);
    }
    lowest += bits;
  }
  // One channel that is several components is written from the first.
  for (unsigned component = G; component <= A; ++component)
    if ((order.present & ~format.stored) & bitOf(component)) format.components[component] = format.components[R];
  return format;
}

constexpr std::size_t kFormats = 6 * kPlainTypes.size() + kPlainTypes.size() + 2 * kShadeTypes.size() +
                                 2 * kPackedTypes.size() + 1 + 3 * kByteTypes.size() + 3 + 2;

constexpr std::array<ImageFormat, kFormats> makeFormats() {
  std::array<ImageFormat, kFormats> formats{};
  std::size_t count = 0;
  const auto add = [&](const Order& order, const auto& types) {
    for (const Type& type : types)
      formats[count++] = makeFormat(order, type);
  };
  // Applications that take the first format get the commonest.
  add(kRGBA, kPlainTypes);
  for (const Order& order : {kR, kRG, kA, kRA, kRx, kRGx})
    add(order, kPlainTypes);
  for (const Order& order : {kBGRA, kARGB, kABGR})
    add(order, kByteTypes);
  for (const Order& order : {kIntensity, kLuminance})
    add(order, kShadeTypes);
  for (const Order& order : {kRGB, kRGBx})
    add(order, kPackedTypes);
  add(kRGBA, std::array{k1010102});
  for (const Order& order : {kSRGBA, kSBGRA, kSRGBx})
    add(order, std::array{kUnorm8});
  add(kDepth, std::array{kUnorm16, kFloat});
  return formats;
}

inline constexpr std::array<ImageFormat, kFormats> kTable = makeFormats();
static_assert(kTable.back().order == CL_DEPTH, "the table is as long as its contents");

/// A legal pair of channel order and channel type (OpenCL 3.0, section 5.3.1.1); null for any other.
inline const ImageFormat* find(abi_u32 order, abi_u32 type) noexcept {
  const auto found = std::find_if(kTable.begin(), kTable.end(),
                                  [&](const ImageFormat& each) { return each.order == order && each.type == type; });
  return found == kTable.end() ? nullptr : &*found;
}

} // namespace clotho::image_formats
