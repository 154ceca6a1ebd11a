// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "problem.hpp"

#include <cmath>

namespace bench {

namespace {

/// xorshift64*, fast enough to fill buffers larger than the caches.
class Random {
 public:
  explicit Random(unsigned seed) : state_(0x9E3779B97F4A7C15U * (seed + 1)) {}

  std::uint32_t next() {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return static_cast<std::uint32_t>((state_ * 0x2545F4914F6CDD1DU) >> 32U);
  }
  double unit() { return next() * 0x1p-32; }
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((std::uint64_t{next()} * bound) >> 32U);
  }

 private:
  std::uint64_t state_;
};

template <class T, class Make> std::vector<T> filled(std::size_t count, Make make) {
  std::vector<T> values(count);
  for (T& value : values)
    value = static_cast<T>(make());
  return values;
}

double halfToDouble(std::uint16_t bits) {
  int exponent = (bits >> 10U) & 31U, fraction = bits & 1023U;
  double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                     : exponent == 0 ? std::ldexp(fraction, -24)
                                     : std::ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000U ? -magnitude : magnitude;
}

template <class T> double valueOf(T value) { return static_cast<double>(value); }

template <class T, class Value>
std::optional<std::string> differ(const Buffer& expected, const std::vector<std::byte>& got, Value value) {
  const Tolerance& tolerance = *expected.result;
  std::size_t count = expected.content.size() / sizeof(T), wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < count; ++i) {
    T wanted, is;
    std::memcpy(&wanted, &expected.content[i * sizeof(T)], sizeof(T));
    std::memcpy(&is, &got[i * sizeof(T)], sizeof(T));
    if (std::memcmp(&wanted, &is, sizeof(T)) == 0) continue; // NOLINT(bugprone-suspicious-memory-comparison): bits
    double a = value(wanted), b = value(is);
    bool near = (std::isnan(a) && std::isnan(b)) || a == b ||
                std::fabs(a - b) <= tolerance.absolute + tolerance.relative * std::fabs(a);
    if (near) continue;
    if (!wrong++)
      first = "element " + std::to_string(i) + " of " + std::to_string(count) + " is " + std::to_string(b) +
              " instead of " + std::to_string(a);
  }
  if (static_cast<double>(wrong) <= tolerance.outliers * static_cast<double>(count)) return std::nullopt;
  return std::to_string(wrong) + " wrong, " + first;
}

} // namespace

std::vector<float> randomFloats(std::size_t count, float low, float high, unsigned seed) {
  Random random(seed);
  return filled<float>(count, [&] { return low + (high - low) * random.unit(); });
}

std::vector<double> randomDoubles(std::size_t count, double low, double high, unsigned seed) {
  Random random(seed);
  return filled<double>(count, [&] { return low + (high - low) * random.unit(); });
}

std::vector<std::uint32_t> randomInts(std::size_t count, std::uint32_t below, unsigned seed) {
  Random random(seed);
  return filled<std::uint32_t>(count, [&] { return below ? random.below(below) : random.next(); });
}

std::vector<std::uint8_t> randomBytes(std::size_t count, unsigned below, unsigned seed) {
  Random random(seed);
  return filled<std::uint8_t>(count, [&] { return random.below(below); });
}

std::vector<std::int16_t> randomShorts(std::size_t count, unsigned seed) {
  Random random(seed);
  return filled<std::int16_t>(count, [&] { return static_cast<std::int16_t>(random.next() >> 16U); });
}

std::vector<std::uint16_t> randomHalfs(std::size_t count, unsigned seed) {
  Random random(seed);
  return filled<std::uint16_t>(count, [&] { return 0x3400U + random.below(0x1000U); });
}

std::vector<std::uint8_t> picture(int width, int height, int channels, unsigned seed) {
  Random random(seed);
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(width) * height * channels);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c) {
        int edge = ((x / 37 + y / 23 + c) % 3) * 70;
        int gradient = (x * (c + 1) + y * 2) / 16 % 80;
        pixels.push_back(static_cast<std::uint8_t>(edge + gradient + static_cast<int>(random.below(36))));
      }
  return pixels;
}

std::optional<std::string> difference(const Buffer& expected, const std::vector<std::byte>& got) {
  switch (expected.element) {
  case Element::U8: return differ<std::uint8_t>(expected, got, valueOf<std::uint8_t>);
  case Element::I16: return differ<std::int16_t>(expected, got, valueOf<std::int16_t>);
  case Element::I32: return differ<std::int32_t>(expected, got, valueOf<std::int32_t>);
  case Element::U32: return differ<std::uint32_t>(expected, got, valueOf<std::uint32_t>);
  case Element::U64: return differ<std::uint64_t>(expected, got, valueOf<std::uint64_t>);
  case Element::F16: return differ<std::uint16_t>(expected, got, halfToDouble);
  case Element::F32: return differ<float>(expected, got, valueOf<float>);
  case Element::F64: return differ<double>(expected, got, valueOf<double>);
  }
  return "unknown element";
}

} // namespace bench
