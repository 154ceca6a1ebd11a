// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "node/fabric/ordered_inbox.hpp"
#include "node/fabric/ucx_worker.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace clotho::node {

/// The way to one other node by UCX, and its messages. Used by the fabric's thread alone. Once it is broken it sends
/// and hands over nothing.
///
/// Long texts and payloads go in parts that UCX sends at once ("eager"), and that are copied to their places when they
/// come. UCX's rendezvous would spare a copy with some networks, but its 1.13 follows dangling pointers when a node is
/// lost amid one, and another node could write to memory here that is in other use by then.
class UcxLink {
 public:
  struct Ends {
    NodeId self = 0, peer = 0;
    cluster::Token ownKey;  ///< the other node shows it with its messages
    cluster::Token peerKey; ///< this node shows it
    std::string peerHost{};
  };
  /// `address`: of the other node's worker. The receiver hears of the other node with its first message.
  UcxLink(UcxWorker& worker, const Ends& ends, const std::string& address, Fabric::Receiver& receiver);
  /// Only when it is closed.
  ~UcxLink() = default;
  UcxLink(const UcxLink&) = delete;
  UcxLink& operator=(const UcxLink&) = delete;

  /// Sends the first message, once, and finds out when UCX has set up all that the way needs. Only when the other node
  /// has its link, which would forget the message otherwise.
  void greet();
  void send(std::string_view text, const Payload& payload);
  /// A part of a message that says that it is from the other node.
  void arrived(const ArrivedPart& part);
  /// Breaks the link and ends all that is under way, which may take some progress of the worker.
  void close() noexcept;
  /// Nothing is under way any more.
  bool isClosed() const { return isClosing_ && !isEndpointClosing_ && !isSending_ && !isFlushing_; }
  bool isBroken() const { return isBroken_; }
  /// Whether the receiver has heard of the node.
  bool hasJoined() const { return hasJoined_; }

 private:
  /// A part of a message on its way out: what UCX reads until it says that it has sent it.
  struct Outgoing {
    std::string header;
    std::span<const std::byte> data;
    std::shared_ptr<const void> owner;
  };

  /// Has a part sent after the earlier ones; what `owner` has stays until then.
  void post(const PartHeader& header, std::string_view text, std::span<const std::byte> data,
            std::shared_ptr<const void> owner);
  /// Sends bytes in parts.
  void postAll(PartHeader header, std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner);
  /// Takes a part into the inbox. False if it makes no sense.
  bool accept(const ArrivedPart& part);
  bool acceptPayload(OrderedInbox::Message& message, std::size_t offset, std::string_view data);
  /// Gives the payload its place, once the text is here. False if the receiver refuses it.
  bool placePayload(OrderedInbox::Message& message);
  /// Hands over all messages that are next.
  void handOver();
  /// Gives UCX one part after the other. What it has under way when a node is lost is where its faults are.
  void sendNext();
  static void sent(void* request, ucs_status_t status, void* self) noexcept;
  static void flushed(void* request, ucs_status_t status, void* self) noexcept;
  static void failed(void* self, ucp_ep_h endpoint, ucs_status_t status) noexcept;

  UcxWorker& worker_;
  const Ends ends_;
  Fabric::Receiver& receiver_;
  ucp_ep_h endpoint_ = nullptr;
  OrderedInbox inbox_;
  std::uint64_t sentMessages_ = 0;
  std::deque<Outgoing> waiting_; ///< the first one is under way while isSending_
  bool isSending_ = false, isFlushing_ = false, isConnected_ = false;
  bool isBroken_ = false, isClosing_ = false, isEndpointClosing_ = false, hasGreeted_ = false, hasJoined_ = false;
};

} // namespace clotho::node
