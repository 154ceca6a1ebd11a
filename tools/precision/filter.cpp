// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precision/filter.hpp"

#include <algorithm>
#include <dlfcn.h>

namespace precision {

namespace {

/// SLEEF stays loaded: its functions are called as long as there are filters.
Peers findPeers(bool isWide) {
  Peers peers;
#ifdef PRECISION_PEERS
  if (isWide && !(__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))) return findPeers(false);
  if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) return {};
  void* library = dlopen("libsleef.so.3", RTLD_NOW);
  if (library == nullptr || !(isWide ? avx512::loadPeers : avx2::loadPeers)(library, peers)) return {};
#else
  static_cast<void>(isWide);
#endif
  return peers;
}

LimitKind kindOf(Relaxed relaxed) {
  switch (relaxed) {
  case Relaxed::Angle: return LimitKind::Angle;
  case Relaxed::HalfTurns: return LimitKind::HalfTurns;
  case Relaxed::Exponent: return LimitKind::Exponent;
  case Relaxed::Logarithm: return LimitKind::Logarithm;
  case Relaxed::Quotient: return LimitKind::Quotient;
  case Relaxed::Same:
  case Relaxed::Ulp4096:
  case Relaxed::Ulp8192: break;
  }
  return LimitKind::Constant;
}

double limitOf(const Function& function, bool relaxed) {
  if (function.limits[0] == kNoLimit) return 1; // so that a share is a number of ulp
  if (relaxed && function.relaxed == Relaxed::Ulp4096) return 4096;
  if (relaxed && function.relaxed == Relaxed::Ulp8192) return 8192;
  return function.limits[0];
}

} // namespace

std::string_view peerNameOf(std::string_view name) {
  for (std::string_view prefix : {"half_", "native_"})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  if (name == "sincos") return "sin";
  if (name == "sincos, second") return "cos";
  if (name == "lgamma_r") return "lgamma";
  if (name == "recip") return "1 / x";
  if (name == "divide") return "x / y";
  return name;
}

Filter::Filter(const Function& function, bool relaxed, bool isWide) {
  static const Peers widePeers = findPeers(true), narrowPeers = findPeers(false);
  const Peers& peers = isWide ? widePeers : narrowPeers;
  const std::string_view name = peerNameOf(function.name);
  const Peer* const end = peers.peers + peers.count;
  const Peer* const found = std::find_if(peers.peers, end, [&](const Peer& peer) { return peer.name == name; });
  isOwnChoice_ = function.limits[0] == kNoLimit;
  if (relaxed && !isOwnChoice_) sieve_.kind = kindOf(function.relaxed);
  sieve_.limit = limitOf(function, relaxed);
  if (found == end || (sieve_.limit == 0 && !found->isExact)) return;
  sieve_.exact = found->isExact && (sieve_.limit == 0 || isOwnChoice_);
  sieve_.anySign = relaxed || isOwnChoice_ || function.freedom == Freedom::SignOfZero;
  sieve_.ordinaryOnly = relaxed || (isOwnChoice_ && function.name.starts_with("native"));
  sieve_.smallOnly = function.freedom == Freedom::SmallAngles;
  sieve_.mayFlush = function.limits[0] == 8192;
  peer_ = found;
  compute_ = peers.compute;
  mark_ = peers.mark;
}

void Filter::compute(const Block& block, PeerResults& peers) const { compute_(*peer_, block, peers); }

bool Filter::mark(const Block& block, const PeerResults& peers, double worst,
                  std::array<std::uint8_t, kBlock>& suspicious) const {
  Sieve sieve = sieve_;
  sieve.share = isOwnChoice_ ? worst : std::min(worst, 1.0);
  return mark_(*peer_, sieve, block, peers, suspicious.data());
}

} // namespace precision
