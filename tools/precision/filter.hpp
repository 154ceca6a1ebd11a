// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "precision/functions.hpp"
#include "precision/peers.hpp"

#include <array>
#include <string_view>

namespace precision {

/// Finds results of a float function that may be worse than the worst so far, or beyond the limit: only these need
/// the reference: by SLEEF's vector functions of double and by vector code for what is exact.
class Filter {
 public:
  /// Lets everything pass where the CPU, SLEEF or a peer of the function is missing. `isWide`: with AVX-512, if there.
  Filter(const Function& function, bool relaxed, bool isWide = true);
  bool isThere() const { return peer_ != nullptr; }
  const Peer* peer() const { return peer_; }
  /// Computes what marks a block need: the same for all functions with one peer. Memory is read for a whole block.
  void compute(const Block& block, PeerResults& peers) const;
  /// Marks what needs the reference in `suspicious`, given the worst share of the limit so far, which is not negative.
  /// False, and nothing is written, when there is none.
  bool mark(const Block& block, const PeerResults& peers, double worst,
            std::array<std::uint8_t, kBlock>& suspicious) const;

 private:
  const Peer* peer_ = nullptr;
  Compute compute_ = nullptr;
  Mark mark_ = nullptr;
  Sieve sieve_;
  bool isOwnChoice_ = false;
};

/// Functions of the same name here approximate the same.
std::string_view peerNameOf(std::string_view function);

} // namespace precision
