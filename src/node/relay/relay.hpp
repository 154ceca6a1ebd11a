// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "cluster/link.hpp"
#include "cluster/messages.hpp"
#include "node/fabric/fabric.hpp"
#include "node/relay/clock_offset.hpp"
#include "node/relay/traffic.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace clotho::node {

/// A program's use of a device of another node, at the program's own node. Messages go on as they are. Bytes of slots
/// go with them: with a copy those that it reads, and with its end those that it has written.
class Relay : public std::enable_shared_from_this<Relay> {
 public:
  /// Bytes of messages that the fabric may have to send. While it has more, the program's messages wait in its process,
  /// and the bytes of slots with them.
  static constexpr std::size_t kMostWaiting = std::size_t{16} << 20;

  /// `session`: number of the session, which this node has chosen. The fabric outlives this.
  Relay(Fabric& fabric, NodeId node, std::uint64_t session, std::shared_ptr<const ClockOffset> clock,
        cluster::Link::Parts parts);

  NodeId node() const { return node_; }
  std::uint64_t session() const { return session_; }
  /// Hands on what the program sends until it is gone, or the session is over; on the calling thread. `pause()` is
  /// called a few times a second.
  void serve(const std::function<void()>& pause) noexcept;
  /// Nothing is handed on any more, and the program learns of it. Any thread.
  void end() noexcept { link_.close(); }

  // What the session sends, by the fabric's thread.
  /// The slots that a read's bytes belong in. If no such read is under way, or if there is no memory to find out, the
  /// session is over and the bytes are unwanted().
  std::byte* placeFor(std::string_view message, std::size_t size) noexcept EXCLUDES(mutex_);
  /// False if the message makes no sense.
  bool received(std::string_view message, std::size_t size) noexcept;

 private:
  /// A copy between slots and memory that has not ended.
  struct Slots {
    std::uint64_t address = 0;
    std::size_t size = 0;
    bool isRead = false;
  };

  bool handOn(std::string_view message);
  /// Notes the slots that a copy has from now on. False if the program has no such slots, or not so many.
  bool take(std::uint64_t number, const Slots& slots) EXCLUDES(mutex_);
  bool give(cluster::Ended& end, std::size_t size) EXCLUDES(mutex_);

  Fabric& fabric_;
  const NodeId node_;
  const std::uint64_t session_;
  const std::shared_ptr<const ClockOffset> clock_;
  cluster::Link link_;
  const std::shared_ptr<Backlog> backlog_ = std::make_shared<Backlog>();
  ByteWriter frame_; ///< of the thread that serves
  Mutex mutex_;
  std::unordered_map<std::uint64_t, Slots> underWay_ GUARDED_BY(mutex_); ///< by the numbers of the copies
  std::size_t bytesUnderWay_ GUARDED_BY(mutex_) = 0;
};

} // namespace clotho::node
