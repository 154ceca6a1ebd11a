// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>

namespace {

using Json = nlohmann::json;

template <class T> T get(const Bytes& bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// Bit patterns that every test of a real function should meet.
std::vector<std::uint64_t> specials(const ElementType& type) {
  if (!type.isReal)
    return {0, 1, ~0ull, ~0ull >> 1, 1ull << 63, 1ull << (8 * type.size - 1), (1ull << (8 * type.size - 1)) - 1};
  if (type.size == 2)
    return {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x8001, 0x83ff,
            0x0400, 0x8400, 0x7bff, 0xfbff, 0x3800, 0xb800, 0x4248, 0x3e48, 0x6400, 0x03ff};
  if (type.size == 4)
    return {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x807fffff,
            0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0xbf000000, 0x40490fdb, 0x3fc90fdb, 0x4b000000};
  return {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
          0xfff0000000000000, 0x7ff8000000000000, 0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000,
          0x7fefffffffffffff, 0xffefffffffffffff, 0x3fe0000000000000, 0x400921fb54442d18, 0x4330000000000000};
}

/// Format of a real type: how many bits its significand has, and its numbers' limits.
struct Format {
  int precision;
  int lowestExponent;
  long double smallest; ///< normal
  long double largest;
};

Format formatOf(const ElementType& type) {
  switch (type.size) {
  case 2: return {11, -14, 0x1p-14L, 65504};
  case 4: return {24, -126, std::numeric_limits<float>::min(), std::numeric_limits<float>::max()};
  default: return {53, -1022, std::numeric_limits<double>::min(), std::numeric_limits<double>::max()};
  }
}

double ulpOf(const ElementType& type, long double reference) {
  const Format format = formatOf(type);
  const int lowest = format.lowestExponent;
  const int exponent = reference == 0 ? lowest : std::max(std::ilogb(reference), lowest);
  return std::ldexp(1.0, std::max(exponent - (format.precision - 1), -1074));
}

template <class T> void putReal(std::byte* at, long double value) {
  const auto real = static_cast<T>(value);
  std::memcpy(at, &real, sizeof real);
}

} // namespace

ElementType ElementType::named(const std::string& name) {
  static const ElementType types[] = {
      {"char", 1, false, true},   {"uchar", 1, false, false}, {"short", 2, false, true}, {"ushort", 2, false, false},
      {"half", 2, true, true},    {"int", 4, false, true},    {"uint", 4, false, false}, {"long", 8, false, true},
      {"ulong", 8, false, false}, {"float", 4, true, true},   {"double", 8, true, true}};
  for (const ElementType& type : types)
    if (type.name == name) return type;
  throw std::runtime_error("unknown type " + name);
}

Number load(const ElementType& type, const Bytes& bytes, std::size_t index) {
  if (type.isReal) {
    switch (type.size) {
    case 2: return Number::of(static_cast<long double>(get<_Float16>(bytes, index)));
    case 4: return Number::of(static_cast<long double>(get<float>(bytes, index)));
    default: return Number::of(static_cast<long double>(get<double>(bytes, index)));
    }
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * type.size, type.size);
  if (!type.isSigned) return Number::of(static_cast<__int128>(bits));
  const unsigned unused = 64 - 8 * unsigned(type.size);
  return Number::of(static_cast<__int128>(static_cast<std::int64_t>(bits << unused) >> unused));
}

void store(const ElementType& type, Bytes& bytes, std::size_t index, const Number& value) {
  std::byte* at = bytes.data() + index * type.size;
  if (type.isReal && type.size == 2) {
    putReal<_Float16>(at, value.asReal());
  } else if (type.isReal && type.size == 4) {
    putReal<float>(at, value.asReal());
  } else if (type.isReal) {
    putReal<double>(at, value.asReal());
  } else {
    const auto bits = static_cast<std::uint64_t>(value.asInteger());
    std::memcpy(at, &bits, type.size);
  }
}

Number parseNumber(const Json& value) {
  if (value.is_null()) return Number::any();
  if (value.is_boolean()) return Number::of(static_cast<__int128>(value.get<bool>()));
  if (value.is_number_unsigned()) return Number::of(static_cast<__int128>(value.get<std::uint64_t>()));
  if (value.is_number_integer()) return Number::of(static_cast<__int128>(value.get<std::int64_t>()));
  if (value.is_number_float()) return Number::of(static_cast<long double>(value.get<double>()));
  Scope none;
  return Expression(value.get<std::string>()).evaluate(none);
}

Bytes makeData(const ElementType& type, std::size_t count, const Json& description, Scope& scope) {
  Bytes bytes(count * type.size, std::byte{0xa5});
  if (description.is_null()) return bytes;
  if (!description.is_object()) {
    const Number value = parseNumber(description);
    for (std::size_t i = 0; i < count; ++i)
      store(type, bytes, i, value);
  } else if (description.contains("list")) {
    const Json& list = description["list"];
    for (std::size_t i = 0; i < count; ++i)
      store(type, bytes, i, parseNumber(list.at(i % list.size())));
  } else if (description.contains("expr")) {
    const Expression formula(description["expr"].get<std::string>());
    for (std::size_t i = 0; i < count; ++i) {
      scope.variables["i"] = Number::of(static_cast<__int128>(i));
      store(type, bytes, i, formula.evaluate(scope));
    }
  } else if (description.contains("random")) {
    std::mt19937_64 random(description["random"].get<std::uint64_t>());
    const Number low = parseNumber(description.at("range").at(0)), high = parseNumber(description.at("range").at(1));
    for (std::size_t i = 0; i < count; ++i) {
      if (type.isReal) {
        const long double part = static_cast<long double>(random()) / 18446744073709551616.0L;
        store(type, bytes, i, Number::of(low.asReal() + part * (high.asReal() - low.asReal())));
      } else {
        const auto span = static_cast<unsigned __int128>(high.asInteger() - low.asInteger() + 1);
        store(type, bytes, i, Number::of(low.asInteger() + static_cast<__int128>(random() % span)));
      }
    }
  } else if (description.contains("bits")) {
    std::mt19937_64 random(description["bits"].get<std::uint64_t>());
    const std::vector<std::uint64_t> first = specials(type);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bits = i < first.size() ? first[i] : random();
      std::memcpy(bytes.data() + i * type.size, &bits, type.size);
    }
  } else {
    throw std::runtime_error("data of no known kind: " + description.dump());
  }
  return bytes;
}

Bytes makeValue(const Json& arg) {
  Json fields = arg.contains("fields") ? arg["fields"] : Json::array({Json::array({arg.at("value"), arg.at("data")})});
  Bytes bytes;
  std::size_t widest = 1;
  for (const Json& field : fields) {
    std::string name = field.at(0).get<std::string>();
    std::size_t lanes = 1;
    const std::size_t digits = name.find_first_of("0123456789");
    if (digits != std::string::npos) {
      lanes = std::stoul(name.substr(digits));
      name.resize(digits);
    }
    const ElementType type = ElementType::named(name);
    const std::size_t stored = (lanes == 3 ? 4 : lanes) * type.size;
    bytes.resize((bytes.size() + stored - 1) / stored * stored);
    widest = std::max(widest, stored);
    Bytes value(stored);
    for (std::size_t i = 0; i < lanes; ++i)
      store(type, value, i, parseNumber(field.at(1).is_array() ? field.at(1).at(i) : field.at(1)));
    bytes.insert(bytes.end(), value.begin(), value.end());
  }
  bytes.resize((bytes.size() + widest - 1) / widest * widest);
  return bytes;
}

bool matches(const ElementType& type, const Number& actual, const Number& expected, const Tolerance& tolerance) {
  if (expected.isAny()) return true;
  if (!type.isReal) {
    Bytes wanted(type.size);
    store(type, wanted, 0, expected);
    const __int128 distance = actual.integer - load(type, wanted, 0).integer;
    return static_cast<double>(distance < 0 ? -distance : distance) <= tolerance.absolute;
  }
  const long double reference = expected.asReal();
  if (std::isnan(reference) || std::isnan(actual.real)) return std::isnan(reference) && std::isnan(actual.real);
  Bytes rounded(type.size);
  store(type, rounded, 0, expected);
  const long double nearest = load(type, rounded, 0).real;
  if (actual.real == nearest) {
    // What only rounds to zero within a tolerance might as well be a number of the other sign.
    const bool isExactZero = nearest == 0 && (reference == 0 || tolerance.ulp == 0);
    const bool signMatters = isExactZero && expected.isReal() && tolerance.absolute == 0 && !tolerance.anySign;
    return !signMatters || std::signbit(actual.real) == std::signbit(nearest);
  }
  if (std::isinf(actual.real) || std::isinf(nearest)) {
    // Close to overflow either of the largest number and infinity may be within the limit.
    const long double largest = formatOf(type).largest;
    return tolerance.ulp > 0 && !std::isinf(reference) && std::signbit(actual.real) == std::signbit(reference) &&
           std::fabs(reference) + tolerance.ulp * ulpOf(type, largest) > largest &&
           std::fabs(actual.real) >= largest / 2;
  }
  if (tolerance.flushesDenormals && actual.real == 0 && std::fabs(nearest) < formatOf(type).smallest) return true;
  const long double error = std::fabs(actual.real - reference);
  return error <= tolerance.absolute || error <= tolerance.ulp * ulpOf(type, reference);
}

std::string show(const ElementType& type, const Number& value) {
  if (value.isAny()) return "(anything)";
  char text[80];
  if (value.isReal()) {
    std::snprintf(text, sizeof text, "%.20Lg (%a)", value.real, static_cast<double>(value.real));
    return text;
  }
  if (type.isSigned)
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value.integer));
  else
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value.integer));
  return text;
}
