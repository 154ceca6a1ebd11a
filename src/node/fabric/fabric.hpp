// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace clotho::node {

/// A node process, chosen by itself at random at its start and never used again. 0: none.
using NodeId = std::uint64_t;

/// Bytes that go with a message without being copied. They stay as they are until `owner` is released: by the thread
/// that sends, if they have gone at once, else by the fabric's.
struct Payload {
  std::span<const std::byte> bytes{};
  std::shared_ptr<const void> owner{};
};

/// How soon a message has to go.
enum class Urgency : std::uint8_t {
  Now,  ///< by the sending thread, if it can
  Soon, ///< by the fabric's thread: others follow, which go with it
};

/// The place of a payload that its receiver does not want: its bytes are read and forgotten, and the message is
/// received all the same. No memory is there.
// NOLINTNEXTLINE(performance-no-int-to-ptr): an address that is nowhere
inline std::byte* unwanted() noexcept { return reinterpret_cast<std::byte*>(std::uintptr_t{1}); }

/// The way of messages between this node and the other nodes of its cluster: in order for each pair, or the peer is
/// lost.
class Fabric {
 public:
  /// Hears what comes. All calls are by the fabric's own thread, one at a time, and must not block.
  class Receiver {
   public:
    /// A node has shown the token; messages may be sent to it. `host`: its machine's name.
    virtual void joined(NodeId node, const std::string& host) noexcept = 0;
    /// Memory for the payload of a message that begins to come, of exactly `size` bytes, or unwanted(): null
    /// refuses it, and loses the node. May be called before earlier messages are received. The memory stays until the
    /// message is received or the node is lost.
    virtual std::byte* placeFor(NodeId from, std::string_view message, std::size_t size) noexcept = 0;
    /// A message, in the order in which it was sent; its payload lies where placeFor said.
    virtual void received(NodeId from, std::string_view message, std::size_t payloadSize) noexcept = 0;
    /// It is gone (closed, silent for two seconds, cut wire, damaged). The last call for this node.
    virtual void lost(NodeId node) noexcept = 0;

   protected:
    ~Receiver() = default;
  };

  Fabric() = default;
  virtual ~Fabric() = default;
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  /// Any thread, never blocks. To a node that is lost: does nothing.
  virtual void send(NodeId to, std::string_view message, Payload payload = {},
                    Urgency urgency = Urgency::Now) noexcept = 0;
  /// Loses a node that says what makes no sense. Any thread.
  virtual void drop(NodeId node) noexcept = 0;
};

} // namespace clotho::node
