// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

/// Code compiled once for each instruction set: plain types only, lest the linker choose a wider set's copy of some
/// inline function for all.
namespace precision {

constexpr std::size_t kBlock = 1024; ///< elements at a time: what a block needs stays in the first-level cache

/// How far an inexact peer may be from the reference, as a share of it: 2^9 units of double. NaN is no claim.
constexpr double kPeerError = 0x1p-44;
/// How far an inexact peer may be from the reference, in ulp of float. The filter makes allowance for it.
constexpr double kMargin = 0x1p-20;
/// Below it, a peer's result and the reference may either be 0, so that the sign of a result of 0 matters.
constexpr double kVanishing = 0x1p-300;

/// A block of arguments and results; y, z and k are null where the function does not take them.
struct Block {
  const float* x = nullptr;
  const float* y = nullptr;
  const float* z = nullptr;
  const int* k = nullptr;
  const float* results = nullptr;
};

/// A function of double on vectors whose results are nearly the reference's.
struct Peer {
  const char* name = nullptr;                           ///< of the builtin
  void (*compute)(const Block&, double* out) = nullptr; ///< kBlock elements
  bool isExact = false;                                 ///< a result is the reference wherever it is not NaN
  bool knowsZeros = false;                              ///< the sign of a vanishing result is the reference's
  double nanBelow = -__builtin_inf();                   ///< the reference is NaN for smaller numbers
  double nanAbove = __builtin_inf();                    ///< and for larger ones
};

/// Dependence of the limit: Constant does not depend on the arguments; the others are as in Relaxed of functions.hpp.
enum class LimitKind { Constant, Angle, HalfTurns, Exponent, Logarithm, Quotient };

/// Limits below which a result is too good to be of interest.
struct Sieve {
  LimitKind kind = LimitKind::Constant;
  double share = 0;   ///< of the limit, worst so far, at most 1
  double limit = 0;   ///< in ulp, for Constant
  bool exact = false; ///< only the reference itself will do
  bool anySign = false;
  bool ordinaryOnly = false; ///< nothing is asked where arguments or results are denormal, infinite or NaN
  bool smallOnly = false;    ///< nor for angles beyond 2^16
  bool mayFlush = false;     ///< 0 will do for denormals
};

/// A peer's results for a block, and the distances of floats there.
struct PeerResults {
  alignas(64) double wanted[kBlock];
  alignas(64) double ulps[kBlock];
};

/// Fills both arrays, which all functions with this peer share.
using Compute = void (*)(const Peer&, const Block&, PeerResults&);

/// Sets `suspicious` to 1 for each of kBlock results that may be worse than the sieve lets through, else to 0. False
/// when there is none.
using Mark = bool (*)(const Peer&, const Sieve&, const Block&, const PeerResults&, std::uint8_t* suspicious);

/// The peers of an instruction set; they call functions of SLEEF, `library`.
struct Peers {
  const Peer* peers = nullptr;
  std::size_t count = 0;
  Compute compute = nullptr;
  Mark mark = nullptr;
};

#define PRECISION_DECLARE(set)                                                                                         \
  namespace set {                                                                                                      \
  bool loadPeers(void* library, Peers& peers);                                                                         \
  void compute(const Peer& peer, const Block& block, PeerResults& peers);                                              \
  bool mark(const Peer& peer, const Sieve& sieve, const Block& block, const PeerResults& peers,                        \
            std::uint8_t* suspicious);                                                                                 \
  }
PRECISION_DECLARE(avx512)
PRECISION_DECLARE(avx2)
#undef PRECISION_DECLARE

} // namespace precision
