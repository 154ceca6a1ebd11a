// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/object.hpp"
#include "node/peer_message.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

namespace clotho::node {

/// Few bytes go to another session before that is ready for them, which saves the time of a message. They wait there
/// for the command that receives them. No thread but one at a time.
class EarlyBytes {
 public:
  /// Most bytes of one command.
  static constexpr std::size_t kMostOfOne = std::size_t{64} << 10;
  /// Most bytes that one session sends another one before that says that it has taken earlier ones.
  static constexpr std::size_t kMostOfPeer = std::size_t{512} << 10;
  /// Most bytes that wait at a session, more than all sessions of a program may send it.
  static constexpr std::size_t kMost = 64 * kMostOfPeer;
  /// Cost of so many bytes towards these limits: their account takes memory, too.
  static constexpr std::size_t costOf(std::size_t size) noexcept { return size + 256; }

  /// Memory for bytes that begin to come, which `owner` keeps; null if they are too many, or come twice, or if there is
  /// no memory.
  std::byte* placeFor(const PeerEdge& edge, std::size_t size, Ref<Object>& owner) noexcept;
  /// They have come; false if none were expected.
  bool came(const PeerEdge& edge) noexcept;
  bool haveCome(const PeerEdge& edge) const noexcept;
  /// Moves them to the command's memory. False if that takes more or fewer.
  bool moveTo(const PeerEdge& edge, std::span<std::byte> target) noexcept;
  /// False if there are none.
  bool forget(const PeerEdge& edge) noexcept;
  /// All of a session.
  void forget(std::uint64_t session) noexcept;
  void clear() noexcept;

 private:
  struct Buffer final : public Object {
    explicit Buffer(std::size_t count) : size(count), bytes(std::make_unique<std::byte[]>(count)) {}
    const std::size_t size;
    const std::unique_ptr<std::byte[]> bytes;
    bool isFilled = false;
  };
  using Buffers = std::map<PeerEdge, Ref<Buffer>>;

  void erase(Buffers::iterator each) noexcept;

  Buffers buffers_;
  std::size_t cost_ = 0; ///< of all
};

/// The sender's account of such bytes. No thread but one at a time.
class EarlyCredit {
 public:
  /// Whether these bytes may go at once. Throws bad_alloc.
  bool take(const PeerEdge& edge, std::size_t size);
  /// The receiver has taken them, or wants none any more; false if they did not go before.
  bool giveBack(const PeerEdge& edge) noexcept;
  /// All of a session.
  void forget(std::uint64_t session) noexcept;
  void clear() noexcept;

 private:
  std::map<PeerEdge, std::size_t> costs_;
  std::map<std::uint64_t, std::size_t> costOfPeer_;
};

} // namespace clotho::node
