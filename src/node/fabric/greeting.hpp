// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/messages.hpp"
#include "cluster/token.hpp"
#include "node/fabric/fabric.hpp"
#include "node/fabric/hmac.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace clotho::node {

/// Version of all that nodes say to each other: of the fabric's frames, and of the messages that travel by it.
inline constexpr std::uint32_t kFabricVersion = (std::uint32_t{3} << 16) | cluster::kVersion;

/// The first words of two nodes on a connection, by which each makes sure that the other one has the token, without
/// saying it. Texts of a fixed size; nothing else is looked at before they are right:
///   caller  Hello     a node's number, its version, and 32 bytes that it has never used before
///   called  Hello
///   caller  Proof     the HMAC, by the token, of both Hellos
///   called  Proof     another one, and the verdict
/// Knows no socket: bytes come in, bytes go out.
class Greeting {
 public:
  enum class Part : std::uint8_t { Caller, Called };
  enum class Verdict : std::uint8_t {
    None,         ///< not yet
    Welcome,      ///< the other node has the token
    Refused,      ///< one of them has another token
    OtherVersion, ///< the token is right, the version is not
    Itself,       ///< a node has called itself
    Nonsense,     ///< the other side is no node
  };

  struct Hello {
    std::uint64_t magic = kMagic;
    std::uint32_t version = kFabricVersion;
    std::uint32_t reserved = 0;
    NodeId node = 0;
    std::array<std::uint8_t, 32> nonce{};
  };
  struct Proof {
    std::uint64_t magic = kMagic;
    std::uint32_t verdict = 0;
    std::uint32_t reserved = 0;
    Mac mac{};
  };

  /// `own`: with a fresh nonce.
  Greeting(Part part, const Hello& own, const cluster::Token& token);

  /// Takes bytes that have come, up to the end of the greeting. How many it took.
  std::size_t receive(std::string_view bytes);
  /// Bytes that are to be sent now; it forgets them.
  std::string takeOutput() { return std::exchange(output_, {}); }
  Verdict verdict() const { return verdict_; }
  /// The other node, once the verdict is Welcome.
  NodeId peer() const { return other_.node; }

 private:
  /// "ClothoNn". Layout and order of the greeting never change, so that all versions understand each other so far.
  static constexpr std::uint64_t kMagic = 0x6e4e6f68746f6c43;

  void heardHello();
  void heardProof(const Proof& proof);
  void prove(Verdict verdict);
  Mac macOf(Part part) const;

  const Part part_;
  const Hello own_;
  const cluster::Token token_;
  Hello other_{};
  bool hasHello_ = false;
  Verdict verdict_ = Verdict::None;
  std::string input_, output_;
};
static_assert(sizeof(Greeting::Hello) == 56 && sizeof(Greeting::Proof) == 48);

/// The verdict in words, for errors.
const char* textOf(Greeting::Verdict verdict);

} // namespace clotho::node
