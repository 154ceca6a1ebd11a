// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "cluster/setup.hpp"
#include "node/fabric/fabric.hpp"
#include "node/relay/fabric_link.hpp"
#include "node/relay/guest_share.hpp"
#include "node/relay/task_threads.hpp"
#include "node/session.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace clotho::node {

/// The sessions of programs that are at other nodes, with devices of this one. They are handed what comes by the
/// fabric's thread.
class Guests {
 public:
  explicit Guests(TaskThreads& tasks) : tasks_(tasks) {}

  // Any thread.
  /// The part of a session that a program at another node may get. Null if the node is gone; throws bad_alloc.
  std::shared_ptr<const GuestPart> reserve(NodeId node, std::uint64_t addresses) EXCLUDES(mutex_);
  /// Makes a session for a program at another node, which has chosen the number. False if the node is gone, or has used
  /// the number already.
  bool open(Fabric& fabric, const SessionName& name, std::shared_ptr<const GuestPart> part, PeerRouter& router,
            Device& device, Usage& usage, std::unique_ptr<Memory> memory) EXCLUDES(mutex_);
  Ref<Session> find(NodeId node, std::uint64_t number) EXCLUDES(mutex_);

  // By the fabric's thread.
  void joined(NodeId node) EXCLUDES(mutex_);
  void lost(NodeId node) noexcept EXCLUDES(mutex_);
  /// Sessions of other nodes' programs do not reach this node any more.
  void forgetNode(NodeId node) noexcept EXCLUDES(mutex_);
  /// The place for bytes of slots that come with a message; unwanted() if there is no memory for them, or if the
  /// session has too many; null if there is no such session, or if the message takes none.
  std::byte* placeFor(NodeId from, std::uint64_t number, std::string_view message, std::size_t size) noexcept
      EXCLUDES(mutex_);
  /// Hands a message to its session, which a message without sense ends. False if there is no such session.
  bool received(NodeId from, std::uint64_t number, std::string_view message, std::size_t size) noexcept
      EXCLUDES(mutex_);
  /// The program is gone.
  void leave(NodeId from, std::uint64_t number) noexcept EXCLUDES(mutex_);

 private:
  using Key = std::pair<NodeId, std::uint64_t>;
  struct Guest {
    Ref<Session> session;
    FabricLink* link = nullptr;                          ///< the session's
    std::unordered_map<std::uint64_t, SlotBuffer> bytes; ///< that come, by the number of their command
  };
  using All = std::map<Key, Guest>;

  /// The bytes that have come with a message.
  static SlotBuffer takeBytes(Guest& guest, std::string_view message, std::size_t size) noexcept;
  /// Ends a session, and gives its memory back when its last command is over.
  void end(Guest guest) noexcept;

  TaskThreads& tasks_;
  Mutex mutex_;
  std::map<NodeId, std::shared_ptr<GuestShare>> present_ GUARDED_BY(mutex_);
  All guests_ GUARDED_BY(mutex_); ///< entries are taken out by the fabric's thread alone
};

} // namespace clotho::node
