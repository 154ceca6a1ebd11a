// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "node/fabric/ordered_inbox.hpp"
#include "node/fabric/ucx_worker.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace clotho::node {

/// The way to one other node by UCX, and its messages. Used by the fabric's thread alone. Once it is broken it sends
/// and hands over nothing.
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

  /// Sends the first message, once. Only when the other node has its link, which would forget it otherwise.
  void greet();
  void send(std::string_view text, Payload payload);
  /// A part of a message that says that it is from the other node. Whether its remote data is kept for later.
  bool arrived(const ArrivedPart& part);
  /// Breaks the link and ends all that is under way, which may take some progress of the worker.
  void close() noexcept;
  /// Nothing is under way any more: neither sends nor what the receiver has given memory for.
  bool isClosed() const { return isClosing_ && !isEndpointClosing_ && sending_ == 0 && fetching_ == 0; }
  bool isBroken() const { return isBroken_; }
  /// Whether the receiver has heard of the node.
  bool hasJoined() const { return hasJoined_; }

 private:
  struct Outgoing;
  struct Fetch;

  void post(Outgoing* outgoing);
  /// Takes a part into the inbox. False if it makes no sense.
  bool accept(const ArrivedPart& part, OrderedInbox::Message& message);
  void beginText(const ArrivedPart& part, OrderedInbox::Message& message);
  /// Gives a payload that is held its place, now that the text is here. `bytes`: the payload, if it need not be
  /// fetched.
  void beginPayload(std::uint64_t number, OrderedInbox::Message& message, std::string_view bytes);
  /// Makes UCX write data, which it has kept, to memory of this process.
  void fetch(void* data, std::byte* to, std::size_t size, std::uint64_t number, bool isPayload);
  static void fetched(void* request, ucs_status_t status, std::size_t size, void* fetch) noexcept;
  void fetched(std::uint64_t number, bool isPayload);
  /// Hands over all messages that are next.
  void handOver();
  void handOver(std::string_view text, std::size_t payloadSize);
  static void sent(void* request, ucs_status_t status, void* outgoing) noexcept;
  static void failed(void* self, ucp_ep_h endpoint, ucs_status_t status) noexcept;

  UcxWorker& worker_;
  const Ends ends_;
  Fabric::Receiver& receiver_;
  ucp_ep_h endpoint_ = nullptr;
  OrderedInbox inbox_;
  std::uint64_t sentMessages_ = 0;
  std::size_t sending_ = 0, fetching_ = 0;
  bool isBroken_ = false, isClosing_ = false, isEndpointClosing_ = false, hasGreeted_ = false, hasJoined_ = false;
};

} // namespace clotho::node
