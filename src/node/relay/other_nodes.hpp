// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "cluster/setup.hpp"
#include "node/fabric/fabric.hpp"
#include "node/relay/counted_fabric.hpp"
#include "node/relay/frame.hpp"
#include "node/relay/guests.hpp"
#include "node/relay/inquiries.hpp"
#include "node/relay/peer_traffic.hpp"
#include "node/relay/questions.hpp"
#include "node/relay/relay.hpp"
#include "node/relay/roster.hpp"
#include "node/relay/task_threads.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace clotho::node {

/// The other nodes of the cluster, as this one's server uses them: their devices for programs of this machine, and its
/// own devices for programs of theirs. Lives as long as the process.
class OtherNodes final : public Fabric::Receiver {
 public:
  /// Answers another node's questions, on a thread of its own: the answer's bytes, none if there is no answer.
  using Answer = std::function<std::string(NodeId from, Inquiry&& inquiry)>;

  /// A session of a program of this machine with a device of this node, by its number; or null.
  using Find = std::function<Ref<Session>(std::uint64_t number)>;

  /// `host`: name of this machine. `own`: the devices of this node, whose numbers come first.
  OtherNodes(std::string host, const cluster::DeviceList& own, Answer answer, Find find,
             const Questions::Patience& patience = {});

  /// The fabric whose receiver this is; once. Nodes may have joined before.
  void use(Fabric& fabric) EXCLUDES(mutex_);
  const CountedFabric::Count& sent() const { return sent_; }
  const CountedFabric::Count& received() const { return received_; }
  Roster& roster() { return roster_; }
  Guests& guests() { return guests_; }
  PeerTraffic& peers() { return peers_; }
  Fabric* fabric() const noexcept { return fabric_.load(std::memory_order_acquire); }

  // Questions to other nodes: see Questions.
  std::uint64_t pose(NodeId node, const Inquiry& inquiry);
  Questions::Reply await(std::uint64_t question) { return questions_.await(question); }
  Questions::Reply ask(NodeId node, const Inquiry& inquiry) { return await(pose(node, inquiry)); }

  /// The node of a program's session, by its number; 0 if it is not at another node.
  NodeId nodeOf(std::uint64_t session) EXCLUDES(mutex_);
  /// A session that the node has opened for a program here: builds find it from now on. Null if the node is lost.
  std::shared_ptr<Relay> add(const Roster::Where& where, std::uint64_t session, cluster::Link::Parts parts)
      EXCLUDES(mutex_);
  /// Hands on its messages until the program is gone or the session is over, on the calling thread.
  void serve(Relay& relay);
  /// Tells the node of a session that its program is gone.
  void leave(NodeId node, std::uint64_t session) noexcept;

  void joined(NodeId node, const std::string& host) noexcept override;
  std::byte* placeFor(NodeId from, std::string_view message, std::size_t size) noexcept override;
  void received(NodeId from, std::string_view message, std::size_t payloadSize) noexcept override;
  void lost(NodeId node) noexcept override;

 private:
  /// Tells a node what it wants to know first.
  void greet(NodeId node);
  /// Bytes of a payload of another node begin to come, or have come.
  void noteMoved(NodeId from, std::size_t size) noexcept;
  bool handle(NodeId from, const Frame& frame, std::size_t size);
  bool handleSession(NodeId from, const Frame& frame, std::size_t size) noexcept EXCLUDES(mutex_);
  bool handleTime(NodeId from, const Frame& frame);
  /// A node's own account of its devices.
  std::string takeList(NodeId from) EXCLUDES(mutex_);
  /// Has a question answered that has come. False if it makes no sense.
  bool answer(NodeId from, std::uint64_t number);
  /// Answers that there is no answer.
  void refuse(NodeId from, std::uint64_t number, const char* why) noexcept;
  void sendHead(NodeId to, Frame::Kind kind, std::uint64_t number) noexcept;
  void askTime(NodeId node);
  std::shared_ptr<Relay> relayOf(NodeId node, std::uint64_t session) EXCLUDES(mutex_);

  const Answer answer_;
  const std::shared_ptr<const std::string> ownDevices_; ///< a DeviceList
  CountedFabric::Count sent_, received_;
  CountedFabric counted_{sent_};
  std::atomic<Fabric*> fabric_{nullptr}; ///< the counted one, once there is one
  TaskThreads tasks_;
  Questions questions_;
  Inquiries inquiries_;
  Roster roster_;
  Guests guests_{tasks_};
  PeerTraffic peers_;
  Mutex mutex_;
  /// Sessions of programs here. Each stays until its node says that it is over: bytes may be on their way to it.
  std::unordered_map<std::uint64_t, std::shared_ptr<Relay>> relays_ GUARDED_BY(mutex_);
  std::vector<NodeId> ungreeted_ GUARDED_BY(mutex_);       ///< that have joined before the fabric was known
  std::map<NodeId, std::string> lists_ GUARDED_BY(mutex_); ///< of devices, which come
};

} // namespace clotho::node
