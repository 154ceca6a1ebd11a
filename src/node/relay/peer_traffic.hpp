// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "node/fabric/fabric.hpp"
#include "node/peer_message.hpp"
#include "node/relay/frame.hpp"
#include "node/relay/task_threads.hpp"
#include "node/session.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace clotho::node {

/// Messages of sessions to each other: to others of this node at once, to those of other nodes by the fabric. Lives as
/// long as the process.
class PeerTraffic final : public PeerRouter {
 public:
  /// A session of this node, by its program's node, 0 for this one, and its number; or null.
  using Find = std::function<Ref<Session>(NodeId gateway, std::uint64_t number)>;

  PeerTraffic(TaskThreads& tasks, Find find) : tasks_(tasks), find_(std::move(find)) {}

  /// Before there are sessions that have others.
  void use(Fabric& fabric) { fabric_.store(&fabric, std::memory_order_release); }
  void send(const SessionName& from, const cluster::PeerSession& to, const PeerMessage& message,
            Payload payload) noexcept override;
  bool reaches(const SessionName& from, NodeId node) noexcept override EXCLUDES(mutex_);

  // By the fabric's thread.
  /// A place for bytes; unwanted() if nothing waits for them any more, or if there is no memory; null if they are too
  /// many, or come twice.
  std::byte* placeFor(NodeId from, const Frame& frame, std::size_t size) noexcept;
  /// False if the message makes no sense. Sessions that are gone get none.
  bool received(NodeId from, const Frame& frame, std::size_t size) noexcept;
  void joined(NodeId node) EXCLUDES(mutex_);
  void lost(NodeId node) noexcept EXCLUDES(mutex_);

 private:
  /// What keeps bytes usable that come.
  struct Coming {
    Ref<Session> session; ///< null: nothing waits for them any more
    Ref<Object> memory;
  };
  struct Local {
    Ref<Session> session;
    PeerMessage message;
  };
  struct Named {
    NodeId gateway;
    PeerMessage message;
  };

  static std::optional<Named> parse(NodeId from, std::string_view body) noexcept;
  static std::string nameOf(const Frame& frame);
  /// The account of bytes that have come; nothing if there was no memory for it.
  std::optional<Coming> take(NodeId from, const Frame& frame) noexcept;
  void sendHere(const Ref<Session>& session, const PeerMessage& message, const Payload& payload) noexcept
      EXCLUDES(mutex_);

  TaskThreads& tasks_;
  const Find find_;
  std::atomic<Fabric*> fabric_{nullptr};
  // State of the fabric's thread.
  std::map<std::pair<NodeId, std::string>, Coming> coming_; ///< by the whole message
  Mutex mutex_;
  std::set<NodeId> present_ GUARDED_BY(mutex_);
  std::deque<Local> local_ GUARDED_BY(mutex_);
  bool isDelivering_ GUARDED_BY(mutex_) = false; ///< a thread is at it, which takes those of others too
};

} // namespace clotho::node
