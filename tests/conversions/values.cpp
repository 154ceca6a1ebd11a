// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "values.hpp"

#include <initializer_list>
#include <random>
#include <set>

namespace clotho::conversions {
namespace {

/// Collects numbers of a type that are close to given ones.
class Collector {
 public:
  explicit Collector(const Type& type) : type_(type) {}

  /// The numbers next to magnitude * 2^exponent of both signs, and theirs.
  void near(std::uint64_t magnitude, int exponent) {
    for (const bool isNegative : {false, true})
      for (const Mode mode : {Mode::Down, Mode::Up}) {
        const Exact number{Exact::Kind::Finite, isNegative, magnitude, exponent};
        const std::uint64_t bits = *encode(type_, number, mode, true, false);
        for (const std::uint64_t step : {-2, -1, 0, 1, 2})
          add(bits + step);
      }
  }
  void add(std::uint64_t bits) { numbers_.insert(bits & type_.mask()); }
  std::vector<std::uint64_t> numbers() const { return {numbers_.begin(), numbers_.end()}; }

 private:
  const Type& type_;
  std::set<std::uint64_t> numbers_;
};

/// The limits of integers: at, and up to two from them, in steps of one half and one quarter.
void addLimits(Collector& to) {
  for (const int power : {0, 7, 8, 15, 16, 24, 31, 32, 53, 62})
    for (const int quarters : {0, 1, 2, 3, 4, 5, 6, 8}) {
      if (power < 62) to.near((std::uint64_t{4} << power) + static_cast<std::uint64_t>(quarters), -2);
      if (power < 62) to.near((std::uint64_t{4} << power) - static_cast<std::uint64_t>(quarters), -2);
    }
  for (const int power : {63, 64})
    for (const std::uint64_t below : {0, 1, 2, 3})
      to.near((power == 64 ? 0 : std::uint64_t{1} << power) - below, 0);
  to.near(1, 64);
  for (std::uint64_t halves = 0; halves < 40; ++halves)
    to.near(halves, -1);
}

/// Numbers at which the real numbers of the type begin, become denormal, and end.
void addRange(Collector& to, const Type& real) {
  for (const std::uint64_t quarters : {1, 2, 3, 4, 5, 6, 7, 8})
    to.near(quarters, real.least - 2);
  const std::uint64_t normal = std::uint64_t{4} << (real.digits - 1), end = std::uint64_t{4} << real.digits;
  for (const std::uint64_t quarters : {0, 1, 2, 3, 4, 6}) {
    to.near(normal - quarters, real.least - 2);
    to.near(normal + quarters, real.least - 2);
    to.near(end - quarters, real.greatest - real.digits - 1);
  }
}

/// Numbers of the digits of `real`, those half-way between two, and what is closest to these.
void addHalfway(Collector& to, const Type& real, std::mt19937_64& random) {
  for (int more = 1; real.digits + more <= 64; ++more) {
    const std::uint64_t digits = (random() | std::uint64_t{1} << 63) >> (64 - real.digits);
    const std::uint64_t half = std::uint64_t{1} << (more - 1);
    for (const std::uint64_t odd : {0, 1}) {
      const std::uint64_t number = ((digits & ~std::uint64_t{1}) | odd) << more;
      for (const std::uint64_t rest : {half - 1, half, half + 1, 2 * half - 1})
        for (const int exponent : {0, -more, real.least - more, real.least - more - 5, 3 - real.digits - more})
          to.near(number + rest, exponent);
    }
  }
}

/// Random numbers of any size that integers have, with a fraction or without.
void addRandom(Collector& to, std::mt19937_64& random) {
  for (int i = 0; i < 1000; ++i) {
    to.add(random());
    to.near(random() >> (random() % 64), -static_cast<int>(random() % 8));
  }
}

} // namespace

std::vector<std::uint64_t> valuesOf(const Type& type) {
  Collector collector(type);
  if (type.bits <= 16) {
    for (std::uint64_t bits = 0; bits <= type.mask(); ++bits)
      collector.add(bits);
    return collector.numbers();
  }
  std::mt19937_64 random(type.bits);
  addLimits(collector);
  for (const Type& real : kTypes) {
    if (!real.isReal) continue;
    addRange(collector, real);
    addHalfway(collector, real, random);
  }
  addRandom(collector, random);
  if (type.isReal)
    for (const std::uint64_t sign : {std::uint64_t{0}, type.signBit()})
      for (const std::uint64_t nan : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << (type.digits - 2)})
        collector.add(sign + type.infinity() + nan);
  return collector.numbers();
}

} // namespace clotho::conversions
