// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "texel.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

namespace clotho::test {

namespace {

struct OrderRow {
  cl_channel_order order;
  const char* name;
  std::vector<int> components; ///< of the channels as they lie in memory
  std::size_t padding = 0;     ///< channels behind them that hold nothing
};

const std::vector<OrderRow>& orders() {
  static const std::vector<OrderRow> kOrders = {
      {CL_R, "R", {0}},
      {CL_Rx, "Rx", {0}},
      {CL_A, "A", {3}},
      {CL_INTENSITY, "INTENSITY", {0}},
      {CL_LUMINANCE, "LUMINANCE", {0}},
      {CL_DEPTH, "DEPTH", {0}},
      {CL_RG, "RG", {0, 1}},
      {CL_RGx, "RGx", {0, 1}},
      {CL_RA, "RA", {0, 3}},
      {CL_RGB, "RGB", {0, 1, 2}},
      {CL_RGBx, "RGBx", {0, 1, 2}},
      {CL_RGBA, "RGBA", {0, 1, 2, 3}},
      {CL_BGRA, "BGRA", {2, 1, 0, 3}},
      {CL_ARGB, "ARGB", {3, 0, 1, 2}},
      {CL_ABGR, "ABGR", {3, 2, 1, 0}},
      {CL_sRGB, "sRGB", {0, 1, 2}},
      {CL_sRGBx, "sRGBx", {0, 1, 2}, 1},
      {CL_sRGBA, "sRGBA", {0, 1, 2, 3}},
      {CL_sBGRA, "sBGRA", {2, 1, 0, 3}},
  };
  return kOrders;
}

/// The bits of one component's channel in a packed texel.
struct Bits {
  int low, count;
};

struct TypeRow {
  cl_channel_type type;
  const char* name;
  Kind kind;
  double scale; ///< 1.0 as an integer, of normalised types; else 0
  bool isSigned;
  std::size_t size; ///< of a channel, or of a packed texel
  std::vector<Bits> packed{};
};

const std::vector<TypeRow>& types() {
  static const std::vector<TypeRow> kTypes = {
      {CL_SNORM_INT8, "SNORM_INT8", Kind::Float, 127, true, 1},
      {CL_SNORM_INT16, "SNORM_INT16", Kind::Float, 32767, true, 2},
      {CL_UNORM_INT8, "UNORM_INT8", Kind::Float, 255, false, 1},
      {CL_UNORM_INT16, "UNORM_INT16", Kind::Float, 65535, false, 2},
      {CL_UNORM_SHORT_565, "UNORM_SHORT_565", Kind::Float, 0, false, 2, {{11, 5}, {5, 6}, {0, 5}}},
      {CL_UNORM_SHORT_555, "UNORM_SHORT_555", Kind::Float, 0, false, 2, {{10, 5}, {5, 5}, {0, 5}}},
      {CL_UNORM_INT_101010, "UNORM_INT_101010", Kind::Float, 0, false, 4, {{20, 10}, {10, 10}, {0, 10}}},
      {CL_UNORM_INT_101010_2, "UNORM_INT_101010_2", Kind::Float, 0, false, 4, {{22, 10}, {12, 10}, {2, 10}, {0, 2}}},
      {CL_SIGNED_INT8, "SIGNED_INT8", Kind::Int, 0, true, 1},
      {CL_SIGNED_INT16, "SIGNED_INT16", Kind::Int, 0, true, 2},
      {CL_SIGNED_INT32, "SIGNED_INT32", Kind::Int, 0, true, 4},
      {CL_UNSIGNED_INT8, "UNSIGNED_INT8", Kind::Uint, 0, false, 1},
      {CL_UNSIGNED_INT16, "UNSIGNED_INT16", Kind::Uint, 0, false, 2},
      {CL_UNSIGNED_INT32, "UNSIGNED_INT32", Kind::Uint, 0, false, 4},
      {CL_HALF_FLOAT, "HALF_FLOAT", Kind::Float, 0, true, 2},
      {CL_FLOAT, "FLOAT", Kind::Float, 0, true, 4},
  };
  return kTypes;
}

const OrderRow* orderRow(cl_channel_order order) {
  for (const OrderRow& row : orders())
    if (row.order == order) return &row;
  return nullptr;
}
const TypeRow* typeRow(cl_channel_type type) {
  for (const TypeRow& row : types())
    if (row.type == type) return &row;
  return nullptr;
}

std::uint64_t bitsAt(const std::byte* where, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, where, size); // tests run on little-endian machines, as the driver does
  return bits;
}

double signExtended(std::uint64_t bits, std::size_t size) {
  std::uint64_t sign = std::uint64_t{1} << (8 * size - 1);
  return bits & sign ? static_cast<double>(bits) - 2 * static_cast<double>(sign) : static_cast<double>(bits);
}

double floatOf(std::uint64_t bits) {
  auto word = static_cast<std::uint32_t>(bits);
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

/// A channel's number, as an integer where it is one.
double rawChannel(const TypeRow& type, std::uint64_t bits) {
  if (type.type == CL_HALF_FLOAT) return halfToDouble(static_cast<std::uint16_t>(bits));
  if (type.type == CL_FLOAT) return floatOf(bits);
  return type.isSigned ? signExtended(bits, type.size) : static_cast<double>(bits);
}

/// The channels of a texel: which component, the raw number, and what stands for 1.0 (0: not normalised).
struct Channel {
  int component;
  double raw;
  double scale;
};

std::vector<Channel> channels(const cl_image_format& format, const std::byte* texel) {
  const TypeRow& type = *typeRow(format.image_channel_data_type);
  const std::vector<int>& components = orderRow(format.image_channel_order)->components;
  std::vector<Channel> list;
  for (std::size_t i = 0; i < components.size(); ++i)
    if (type.packed.empty()) {
      list.push_back({components[i], rawChannel(type, bitsAt(texel + i * type.size, type.size)), type.scale});
    } else {
      const Bits& where = type.packed[i];
      std::uint64_t mask = (std::uint64_t{1} << where.count) - 1;
      list.push_back({components[i], static_cast<double>(bitsAt(texel, type.size) >> where.low & mask),
                      static_cast<double>(mask)});
    }
  return list;
}

std::optional<std::string> wrongFloat(const TypeRow& type, double want, double got) {
  auto differs = [&] { return "wrote " + std::to_string(want) + ", and there is " + std::to_string(got); };
  if (std::isnan(want)) return std::isnan(got) ? std::nullopt : std::optional(differs());
  if (std::isinf(want)) return want == got ? std::nullopt : std::optional(differs());
  if (type.type == CL_FLOAT) {
    // Denormal numbers may become zero (8.3.3).
    if (want == got || (std::fabs(want) < FLT_MIN && got == 0)) return std::nullopt;
    return differs();
  }
  // Half: to nearest even or to zero, and denormal numbers may become zero (8.3.2).
  const double magnitude = std::fabs(want), least = std::ldexp(1, -14), largest = 65504;
  if (magnitude < least && got == 0) return std::nullopt;
  if (magnitude >= 65520) {
    const double nearest = std::copysign(std::numeric_limits<double>::infinity(), want);
    return got == nearest || got == std::copysign(largest, want) ? std::nullopt : std::optional(differs());
  }
  const double ulp = std::ldexp(1, std::max(std::ilogb(std::max(magnitude, least)), -14) - 10);
  const double toZero = std::trunc(want / ulp) * ulp, toNearest = std::nearbyint(want / ulp) * ulp;
  return got == toZero || got == toNearest ? std::nullopt : std::optional(differs());
}

} // namespace

bool same(const cl_image_format& a, const cl_image_format& b) {
  return a.image_channel_order == b.image_channel_order && a.image_channel_data_type == b.image_channel_data_type;
}

bool contains(const std::vector<cl_image_format>& list, const cl_image_format& format) {
  return std::any_of(list.begin(), list.end(), [&](const cl_image_format& other) { return same(format, other); });
}

std::string nameOf(const cl_image_format& format) {
  const OrderRow* order = orderRow(format.image_channel_order);
  const TypeRow* type = typeRow(format.image_channel_data_type);
  return std::string(order ? order->name : "?") + " " + (type ? type->name : "?");
}

bool isLegal(const cl_image_format& format) {
  const OrderRow* order = orderRow(format.image_channel_order);
  const TypeRow* type = typeRow(format.image_channel_data_type);
  if (!order || !type) return false;
  const cl_channel_type t = type->type;
  const bool real = t == CL_UNORM_INT8 || t == CL_UNORM_INT16 || t == CL_SNORM_INT8 || t == CL_SNORM_INT16 ||
                    t == CL_HALF_FLOAT || t == CL_FLOAT;
  const bool packedRgb = t == CL_UNORM_SHORT_565 || t == CL_UNORM_SHORT_555 || t == CL_UNORM_INT_101010;
  switch (order->order) {
  case CL_INTENSITY:
  case CL_LUMINANCE: return real;
  case CL_DEPTH: return t == CL_UNORM_INT16 || t == CL_FLOAT;
  case CL_RGB:
  case CL_RGBx: return packedRgb;
  case CL_BGRA:
  case CL_ARGB:
  case CL_ABGR: return t == CL_UNORM_INT8 || t == CL_SNORM_INT8 || t == CL_SIGNED_INT8 || t == CL_UNSIGNED_INT8;
  case CL_sRGBx: // its x is a byte, as conformance tests have it
  case CL_sRGBA:
  case CL_sBGRA: return t == CL_UNORM_INT8;
  case CL_sRGB: return false; // three bytes: the bits of an element are a power of two (5.3.1.1)
  case CL_RGBA: return !packedRgb;
  default: return !packedRgb && t != CL_UNORM_INT_101010_2;
  }
}

std::vector<cl_image_format> legalFormats() {
  std::vector<cl_image_format> formats;
  for (const OrderRow& order : orders())
    for (const TypeRow& type : types())
      if (cl_image_format format{order.order, type.type}; isLegal(format)) formats.push_back(format);
  return formats;
}

Kind kindOf(const cl_image_format& format) { return typeRow(format.image_channel_data_type)->kind; }

bool isSrgb(const cl_image_format& format) {
  const cl_channel_order order = format.image_channel_order;
  return order == CL_sRGBx || order == CL_sRGBA || order == CL_sBGRA;
}

bool isNormalised(const cl_image_format& format) {
  const TypeRow& type = *typeRow(format.image_channel_data_type);
  return type.scale != 0 || !type.packed.empty();
}

std::size_t texelSize(const cl_image_format& format) {
  const TypeRow& type = *typeRow(format.image_channel_data_type);
  const OrderRow& order = *orderRow(format.image_channel_order);
  return type.packed.empty() ? type.size * (order.components.size() + order.padding) : type.size;
}

Color decode(const cl_image_format& format, const std::byte* texel) {
  Color color{0, 0, 0, 1};
  for (const Channel& channel : channels(format, texel)) {
    double value = channel.raw;
    if (channel.scale != 0) value = std::max(-1.0, value / channel.scale);
    if (isSrgb(format) && channel.component != 3) value = srgbToLinear(value);
    color[channel.component] = value;
  }
  if (format.image_channel_order == CL_INTENSITY) color = {color[0], color[0], color[0], color[0]};
  if (format.image_channel_order == CL_LUMINANCE) color = {color[0], color[0], color[0], 1};
  if (format.image_channel_order == CL_DEPTH) color = {color[0], 0, 0, 0}; // a scalar, for kernels
  return color;
}

double readTolerance(const cl_image_format& format, int component, double exact) {
  if (kindOf(format) != Kind::Float || exact == 0 || !std::isfinite(exact) || std::fabs(exact) == 1) return 0;
  const double ulp = std::ldexp(1, std::ilogb(exact) - 23);
  // The specification lets sRGB be off by half a step of its 8 bits; tables and polynomials do better by far.
  if (isSrgb(format) && component != 3) return 8 * ulp;
  if (isNormalised(format)) return 1.5 * ulp;
  return std::fabs(exact) < FLT_MIN ? std::fabs(exact) : 0; // denormal numbers may be flushed
}

Color borderColor(const cl_image_format& format) {
  switch (format.image_channel_order) {
  case CL_R:
  case CL_RG:
  case CL_RGB:
  case CL_LUMINANCE:
  // By OpenCL C's text these have 0; the conformance suite takes all orders without alpha alike (docs/decisions.md).
  case CL_Rx:
  case CL_RGx:
  case CL_RGBx:
  case CL_sRGBx: return {0, 0, 0, 1};
  default: return {0, 0, 0, 0};
  }
}

std::optional<std::string> wrongWrite(const cl_image_format& format, const Color& color, const std::byte* texel) {
  const TypeRow& type = *typeRow(format.image_channel_data_type);
  for (const Channel& channel : channels(format, texel)) {
    double want = color[channel.component];
    std::optional<std::string> wrong;
    if (type.kind != Kind::Float) {
      const double low = type.isSigned ? -std::ldexp(1, static_cast<int>(8 * type.size) - 1) : 0;
      const double high = std::ldexp(1, static_cast<int>(8 * type.size) - (type.isSigned ? 1 : 0)) - 1;
      want = std::clamp(want, low, high);
      if (want != channel.raw)
        wrong = "wrote " + std::to_string(want) + ", and there is " + std::to_string(channel.raw);
    } else if (channel.scale == 0) {
      wrong = wrongFloat(type, want, channel.raw);
    } else {
      if (isSrgb(format) && channel.component != 3) want = linearToSrgb(want);
      if (std::isnan(want)) want = 0; // as convert_*_sat has it
      const double low = type.isSigned ? -channel.scale - 1 : 0;
      want = std::clamp(want * channel.scale, low, channel.scale);
      // The two least numbers stand for -1 both; the formulas give the one, the conformance suite wants the other.
      if (type.isSigned && want < -channel.scale && channel.raw == -channel.scale) continue;
      if (std::fabs(want - channel.raw) > 0.6)
        wrong = "wrote " + std::to_string(want) + ", and there is " + std::to_string(channel.raw);
    }
    if (wrong) return std::string(1, "RGBA"[channel.component]) + ": " + *wrong;
  }
  return std::nullopt;
}

double halfToDouble(std::uint16_t bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31) return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

double srgbToLinear(double value) { return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4); }

double linearToSrgb(double value) {
  if (!(value > 0)) return 0; // NaN, too
  if (value > 1) return 1;
  return value < 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
}

} // namespace clotho::test
