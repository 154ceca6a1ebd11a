// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each instruction set, PRECISION_SET.
#include "precision/lanes.hpp"
#include "precision/peers.hpp"

namespace precision::PRECISION_SET {

namespace {

constexpr double kSurelyInfinite = 0x1p128 * (1 + 0x1p-20); ///< as a float: so are references of peers beyond it
constexpr double kSurelyTiny = 0x1p-126 * (1 - 0x1p-30);    ///< so are references of peers below it

/// The distance of floats at `d`, or half of it just above a power of two, where the reference may be below.
double ulpBelow(double d) {
  const double a = __builtin_fabs(d) * (1 - 0x1p-30);
  const double bounded = a < 0x1p-126 ? 0x1p-126 : a > 0x1p127 ? 0x1p127 : a;
  return fromBits(bitsOf(bounded) & 0x7ff0000000000000U) * 0x1p-23;
}

/// By how much results may differ from the peer's without being of interest, where the limit is a number of ulp.
double ulpBound(const Sieve& sieve) { return sieve.exact ? 0 : sieve.share * sieve.limit - kMargin; }

/// Sets the bounds for a limit that depends on the argument; infinite where anything goes. `bound` says it of one
/// element.
template <class F> void eachBound(const PeerResults& peers, double* bounds, F&& bound) {
  each([=, &peers](std::size_t i) { bounds[i] = bound(i, peers.ulps[i]) - kMargin * peers.ulps[i]; });
}

void findBounds(const Sieve& sieve, const Block& b, const PeerResults& peers, double* bounds) {
  const double share = sieve.share, ulps = ulpBound(sieve);
  const float* x = b.x;
  const float* y = b.y == nullptr ? b.x : b.y;
  const auto absolute = [&](float most) {
    eachBound(peers, bounds,
              [=](std::size_t i, double) { return magnitude(x[i]) <= most ? share * 0x1p-11 : kInfinity; });
  };
  const auto near = [](float v) { return v == 0 || (magnitude(v) >= 0x1p-62F && magnitude(v) <= 0x1p62F); };
  switch (sieve.kind) {
  case LimitKind::Constant: return each([&](std::size_t i) { bounds[i] = ulps * peers.ulps[i]; });
  case LimitKind::Angle: return absolute(3.1415927F);
  case LimitKind::HalfTurns: return absolute(1);
  case LimitKind::Exponent:
    return eachBound(peers, bounds, [=](std::size_t i, double ulp) {
      return share * (3 + __builtin_floor(2.0 * magnitude(x[i]))) * ulp;
    });
  case LimitKind::Logarithm:
    return eachBound(peers, bounds, [=](std::size_t i, double ulp) {
      return share * (x[i] >= 0.5F && x[i] <= 2 ? 0x1p-21 : 3 * ulp);
    });
  case LimitKind::Quotient:
    return eachBound(peers, bounds, [=](std::size_t i, double ulp) {
      return near(x[i]) && near(y[i]) ? share * 2.5 * ulp : kInfinity;
    });
  }
}

/// Whether an element of a block has a property that is seldom.
template <class F> bool anyOf(F&& property) {
  std::uint64_t found = 0;
  each([&](std::size_t i) { found |= property(i) ? 1U : 0U; });
  return found != 0;
}

/// Whether all of a block are numbers near their peers.
template <class F> bool allAreNear(const Block& b, const PeerResults& peers, F&& boundAt) {
  return !anyOf([&](std::size_t i) {
    const double wanted = peers.wanted[i];
    const bool isNear = __builtin_fabs(b.results[i] - wanted) <= boundAt(i);
    return !all(isNear, __builtin_fabs(wanted) >= kVanishing);
  });
}

/// Whether the whole block consists of zeros that markFar() would let pass.
bool allAreZero(const Block& b, const PeerResults& peers) {
  return !anyOf([&](std::size_t i) {
    const double result = b.results[i], wanted = peers.wanted[i];
    const bool sameSign = (bitsOf(result) ^ bitsOf(wanted)) >> 63 == 0;
    return !all(result == 0, all(__builtin_fabs(wanted) < kVanishing, sameSign));
  });
}

bool allAreBeyond(const Block& b, const PeerResults& peers) {
  return !anyOf([&](std::size_t i) {
    const double result = b.results[i], wanted = peers.wanted[i];
    return !any(all(result == kInfinity, wanted > kSurelyInfinite),
                all(result == -kInfinity, wanted < -kSurelyInfinite));
  });
}

bool allAreNoNumber(const Peer& peer, const Block& b) {
  const auto below = static_cast<float>(peer.nanBelow), above = static_cast<float>(peer.nanAbove);
  return !anyOf(
      [&](std::size_t i) { return !all(__builtin_isnan(b.results[i]) != 0, any(b.x[i]<below, b.x[i]> above)); });
}

/// Whether a block is of one kind, as most are in a sweep of all floats in order, and nothing in it is suspicious.
template <class F> bool isClean(const Peer& peer, const Block& b, const PeerResults& peers, F&& boundAt) {
  const float first = b.results[0];
  if (__builtin_isnan(first)) return allAreNoNumber(peer, b);
  if (first == 0) return peer.knowsZeros && boundAt(0) >= 0 && allAreZero(b, peers);
  if (!isFinite(first)) return allAreBeyond(b, peers);
  return allAreNear(b, peers, boundAt);
}

void markFar(const Peer& peer, const Sieve& sieve, const Block& b, const PeerResults& peers, const double* bounds,
             std::uint8_t* suspicious) {
  const double below = peer.nanBelow, above = peer.nanAbove;
  const bool anySign = sieve.anySign, knowsZeros = peer.knowsZeros;
  each([=, &peers](std::size_t i) {
    const double x = b.x[i], result = b.results[i], wanted = peers.wanted[i];
    const double size = __builtin_fabs(wanted);
    const bool sameSign = (bitsOf(result) ^ bitsOf(wanted)) >> 63 == 0;
    const bool signMatters = all(result == 0, size < kVanishing);
    const bool rightSign = any(any(!signMatters, anySign), all(knowsZeros, sameSign));
    const bool isNear = all(__builtin_fabs(result - wanted) <= bounds[i], rightSign);
    const bool isBeyond = all(size > kSurelyInfinite, all(__builtin_fabs(result) == kInfinity, sameSign));
    const bool isNoNumber = all(__builtin_isnan(result) != 0, any(x<below, x> above));
    suspicious[i] = any(any(isNear, isBeyond), isNoNumber) ? 0 : 1;
  });
}

bool isOrdinary(float x) { return any(x == 0, all(magnitude(x) >= __FLT_MIN__, isFinite(x))); }

/// Takes out results that errorOf() lets pass under relaxed options and of native functions.
void takeOutExtraordinary(const Peer& peer, const Block& b, const PeerResults& peers, std::uint8_t* suspicious) {
  const double below = peer.nanBelow, above = peer.nanAbove;
  each([=, &peers](std::size_t i) {
    const double x = b.x[i], size = __builtin_fabs(peers.wanted[i]);
    const bool isOutside = any(any(x<below, x> above), !isOrdinary(b.x[i]));
    const bool isTiny = all(size > 0, size < kSurelyTiny);
    suspicious[i] = any(isOutside, any(isTiny, size > 0x1p128)) ? 0 : suspicious[i];
  });
  const float* const others[] = {b.y, b.z};
  for (const float* other : others)
    if (other != nullptr) each([=](std::size_t i) { suspicious[i] = isOrdinary(other[i]) ? suspicious[i] : 0; });
}

} // namespace

void compute(const Peer& peer, const Block& b, PeerResults& results) {
  peer.compute(b, results.wanted);
  each([&](std::size_t i) { results.ulps[i] = ulpBelow(results.wanted[i]); });
}

bool mark(const Peer& peer, const Sieve& sieve, const Block& b, const PeerResults& peers, std::uint8_t* suspicious) {
  if (sieve.smallOnly && !anyOf([&](std::size_t i) { return magnitude(b.x[i]) <= 0x1p16F; })) return false;
  alignas(64) double bounds[kBlock];
  if (sieve.kind == LimitKind::Constant) {
    const double bound = ulpBound(sieve);
    if (isClean(peer, b, peers, [&](std::size_t i) { return bound * peers.ulps[i]; })) return false;
    findBounds(sieve, b, peers, bounds);
  } else {
    findBounds(sieve, b, peers, bounds);
    if (isClean(peer, b, peers, [&](std::size_t i) { return bounds[i]; })) return false;
  }
  markFar(peer, sieve, b, peers, bounds, suspicious);
  if (sieve.ordinaryOnly) takeOutExtraordinary(peer, b, peers, suspicious);
  if (sieve.smallOnly) each([=](std::size_t i) { suspicious[i] = magnitude(b.x[i]) <= 0x1p16F ? suspicious[i] : 0; });
  if (sieve.mayFlush)
    each([=, &peers](std::size_t i) {
      const bool isFlushed = all(b.results[i] == 0, __builtin_fabs(peers.wanted[i]) < kSurelyTiny);
      suspicious[i] = isFlushed ? 0 : suspicious[i];
    });
  return true;
}

} // namespace precision::PRECISION_SET
