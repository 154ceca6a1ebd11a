// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/image_formats.hpp"

#include "abi/image_formats.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace clotho {

namespace {

using image_formats::A;
using image_formats::bitOf;

constexpr bool hasDepth(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

// --- Packing ---

/// The nearest integer, and the even one of two; the same whatever rounding mode the application's thread has.
std::int64_t roundToEven(float value) noexcept {
  auto whole = static_cast<std::int64_t>(value);
  const float part = std::fabs(value - static_cast<float>(whole));
  if (part > 0.5F || (part == 0.5F && (whole & 1) != 0)) whole += value < 0 ? -1 : 1;
  return whole;
}

/// NaN becomes 0, as in convert_*_sat.
std::int64_t roundAndSaturate(float value, std::int64_t least, std::int64_t largest) noexcept {
  if (!(value > static_cast<float>(least))) return std::isnan(value) ? 0 : least;
  if (value >= static_cast<float>(largest)) return largest;
  return roundToEven(value);
}

std::uint32_t toSrgb(float linear) noexcept {
  if (!(linear > 0.0F)) return 0;
  if (linear >= 1.0F) return 255;
  const double c = linear;
  const double encoded = c < 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1.0 / 2.4) - 0.055;
  return static_cast<std::uint32_t>(std::lround(encoded * 255.0));
}

/// To nearest, and the even one of two. What is denormal as a half is kept.
std::uint32_t toHalf(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U, magnitude = bits & 0x7fff'ffffU;
  if (magnitude > 0x7f80'0000U) return sign | 0x7e00U | (magnitude >> 13 & 0x1ffU); // NaN
  if (magnitude >= 0x477f'f000U) return sign | 0x7c00U;                             // rounds to 65536 or is more
  const std::uint32_t exponent = magnitude >> 23;
  if (exponent < 102) return sign; // less than half of the least half
  std::uint32_t shift = 13, mantissa = magnitude - (112U << 23);
  if (exponent < 113) { // a denormal half
    shift = 126 - exponent;
    mantissa = (magnitude & 0x7f'ffffU) | 0x80'0000U;
  }
  const std::uint32_t rest = mantissa & ((1U << shift) - 1), middle = 1U << (shift - 1);
  std::uint32_t half = mantissa >> shift;
  if (rest > middle || (rest == middle && (half & 1) != 0)) ++half;
  return sign | half;
}

template <class T> T componentOf(const void* colour, unsigned component) noexcept {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(colour) + component * sizeof value, sizeof value);
  return value;
}

std::uint32_t packComponent(const ImageFormat& format, unsigned component, const void* colour) noexcept {
  const unsigned bits = 32 - format.components[component].right;
  const std::int64_t largest = (std::int64_t{1} << bits) - 1, largestSigned = largest >> 1;
  const auto real = componentOf<float>(colour, component);
  switch (format.encoding) {
  case kImageUnorm:
    if (format.isSrgb && component != A) return toSrgb(real);
    return static_cast<std::uint32_t>(roundAndSaturate(real * static_cast<float>(largest), 0, largest));
  case kImageSnorm:
    return static_cast<std::uint32_t>(
        roundAndSaturate(real * static_cast<float>(largestSigned), -largestSigned - 1, largestSigned));
  case kImageUint:
    return static_cast<std::uint32_t>(std::min<std::int64_t>(componentOf<cl_uint>(colour, component), largest));
  case kImageSint:
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(componentOf<cl_int>(colour, component), -largestSigned - 1, largestSigned));
  case kImageHalf: return toHalf(real);
  default: return componentOf<cl_uint>(colour, component);
  }
}

} // namespace

const ImageFormat* findImageFormat(const cl_image_format& format) noexcept {
  return image_formats::find(format.image_channel_order, format.image_channel_data_type);
}

// A depth image has kernel arguments of two types alone.
bool isFormatSupported(cl_mem_object_type type, const cl_image_format& format) noexcept {
  return findImageFormat(format) && (format.image_channel_order != CL_DEPTH || hasDepth(type));
}

std::vector<cl_image_format> supportedFormats(cl_mem_object_type type) {
  std::vector<cl_image_format> list;
  for (const ImageFormat& each : image_formats::kTable)
    if (const cl_image_format format{each.order, each.type}; isFormatSupported(type, format)) list.push_back(format);
  return list;
}

void packColour(const ImageFormat& format, const void* colour, std::byte* texel) noexcept {
  std::array<std::uint32_t, kImageComponents> words{};
  for (unsigned component = 0; component < kImageComponents; ++component) {
    if (!(format.stored & bitOf(component))) continue;
    const ImageComponent& place = format.components[component];
    words[place.word] |= (packComponent(format, component, colour) & (0xffff'ffffU >> place.right))
                         << (place.right - place.left);
  }
  std::memcpy(texel, words.data(), texelBytes(format));
}

} // namespace clotho
