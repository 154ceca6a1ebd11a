// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/fields.hpp"
#include "cluster/messages.hpp"
#include "node/fabric/fabric.hpp"

#include <compare>
#include <cstdint>

namespace clotho::node {

/// A message of one session to another one of the same program, on this node or another.
struct PeerMessage {
  enum class Kind : std::uint8_t {
    Ended,         ///< a command is over, with `status`
    Ready,         ///< to receive bytes
    Bytes,         ///< from `offset` of those that are received; they are the payload
    SendFailed,    ///< no bytes will come: `status` says why
    ReceiveFailed, ///< no bytes are wanted any more
  };
  Kind kind = Kind::Ended;
  std::uint64_t from = 0; ///< the session that says it
  std::uint64_t edge = 0;
  std::uint64_t offset = 0;
  std::uint32_t status = 0; ///< a cl_int
};

constexpr PeerMessage::Kind lastOf(PeerMessage::Kind) { return PeerMessage::Kind::ReceiveFailed; }

template <Of<PeerMessage> Type, class Visit> void visitFields(Type& message, Visit&& visit) {
  auto& [kind, from, edge, offset, status] = message;
  visitEach(visit, kind, from, edge, offset, status);
}

/// Names of an edge between two sessions: the other one, and the number.
struct PeerEdge {
  std::uint64_t session = 0, edge = 0;
  auto operator<=>(const PeerEdge&) const = default;
};

/// Names of a session for messages of its peers.
struct SessionName {
  NodeId gateway = 0;       ///< the program's own node; 0: this one
  std::uint64_t self = 0;   ///< this node, as that one knows it; 0: it is that one
  std::uint64_t number = 0; ///< that the gateway has chosen
};

/// The way of sessions to each other.
class PeerRouter {
 public:
  /// Any thread, never blocks. To a session that is gone: nothing.
  virtual void send(const SessionName& from, const cluster::PeerSession& to, const PeerMessage& message,
                    Payload payload = {}) noexcept = 0;
  /// Whether messages of a session can go to a node, by the name that sessions of its program use (PeerSession).
  virtual bool reaches(const SessionName& from, NodeId node) noexcept = 0;

 protected:
  ~PeerRouter() = default;
};

} // namespace clotho::node
