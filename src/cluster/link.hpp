// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/bytes.hpp"
#include "base/mutex.hpp"
#include "base/unique_fd.hpp"
#include "cluster/shared_area.hpp"

#include <atomic>
#include <deque>
#include <string>

namespace clotho::cluster {

/// The end of a link that a process has.
enum class Side : std::uint8_t { Host, Node };

/// One end of a link between a program and its node: messages both ways, and the news that the other end is gone.
class Link {
 public:
  /// Bytes of messages that wait for room. A process that reads so little is as good as gone: the link is closed.
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 30;

  struct Parts {
    SharedArea area;
    UniqueFd ownEvent;    ///< makeEvent(): wakes this end's sleeping thread, and is known to no other process
    UniqueFd socket;      ///< carries bytes that wake the other end; hangs up with the other process
    UniqueFd peerProcess; ///< pidfd of that, or none: children of it may have copies of the socket
    std::size_t mostWaiting = kMostWaiting;
  };

  /// Longest message.
  static constexpr std::size_t kMost = SharedArea::kRingBytes / 4;

  Link(Side side, Parts parts);

  /// Sends what `fill(ByteWriter&)` writes, at most kMost bytes; if it returns false, nothing is sent. Messages come in
  /// the order in which `fill` is called, by one thread at a time. What the ring has no room for waits in this process.
  template <class Fill> void send(Fill&& fill) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    scratch_.clear();
    if (fill(scratch_)) push();
  }
  /// Moves what waits for room into the ring. Whether some still waits.
  bool flush() EXCLUDES(mutex_);

  // Receiving: by one thread at a time.
  RingReader::Found receive(std::string& message) { return reader_.read(message); }
  bool isEmpty() const noexcept { return reader_.isEmpty(); }

  // Sleeping.
  enum class Woken : std::uint8_t { ByMessage, ByTime, ByEnd };
  /// Sleeps until a message may have come or the other process is gone, but for so many ms at most. `isArmed`: messages
  /// end the sleep; else another thread receives them, and only wake() does.
  Woken sleep(int ms, bool isArmed) noexcept;
  /// From now on messages wake the thread that sleeps; also if there is one already.
  void arm() noexcept;
  /// Messages need not wake it, since this thread looks for them.
  void disarm() noexcept { reader_.endSleep(); }
  void wake() noexcept;

  /// Nothing is sent any more, and the other process learns of it. Idempotent, any thread.
  void close() noexcept;
  bool isClosed() const noexcept { return isClosed_.load(std::memory_order_acquire); }
  const SharedArea& area() const { return parts_.area; }
  /// In a forked child, whose parent goes on using the link: what belongs to this process.
  void closeCopies() noexcept;

 private:
  void push() REQUIRES(mutex_);
  void wakePeer() noexcept;

  Parts parts_;
  RingReader reader_;
  std::atomic<bool> isClosed_{false};
  Mutex mutex_;
  RingWriter writer_ GUARDED_BY(mutex_);
  ByteWriter scratch_ GUARDED_BY(mutex_);
  std::deque<std::string> waiting_ GUARDED_BY(mutex_);
  std::size_t waitingBytes_ GUARDED_BY(mutex_) = 0;
};

/// An eventfd for one end of a link; empty, with errno set, if the system has no more.
UniqueFd makeEvent();

/// Two ends of one link: this process's, and the descriptor of the shared area for the other one.
struct LinkEnds {
  Link::Parts own;
  UniqueFd area;
};
/// Makes what a link needs, but for the socket and the peer's process. Empty parts if the system has no more of it.
LinkEnds makeLink();

} // namespace clotho::cluster
