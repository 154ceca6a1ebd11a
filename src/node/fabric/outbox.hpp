// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "node/fabric/control_frames.hpp"
#include "node/fabric/fabric.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <sys/uio.h>

namespace clotho::node {

/// The sending side of a connection. Each thread writes its message to the socket by itself if none waits, so that no
/// other thread has to run before it goes. All else waits for the connection's thread, which alone hears of failures.
class Outbox {
 public:
  /// Bytes of frames and texts that may wait to be sent: a node that does not read them is lost. Payloads, which wait
  /// where they are, do not count; those that send them have limits that a slow network does not reach.
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 30;

  /// The beginning of what is sent: a frame, or a message, whose payload follows.
  struct Head {
    std::uint32_t size = 0; ///< of the frame or the text
    std::uint32_t isMessage = 0;
    std::uint64_t payloadSize = 0;
  };

  /// The socket stays open until close().
  explicit Outbox(int socket) : socket_(socket) {}

  // Any thread; never blocks. Whether the connection's thread has something to do now, which the caller wakes.
  [[nodiscard]] bool send(std::string_view text, const Payload& payload, Urgency urgency = Urgency::Now) noexcept
      EXCLUDES(mutex_, socketMutex_);
  [[nodiscard]] bool send(const ControlFrame& frame) noexcept EXCLUDES(mutex_, socketMutex_);

  // By the connection's thread.
  /// Has bytes of the greeting sent by the next flush().
  void add(std::string bytes) EXCLUDES(mutex_);
  /// Whether flush() has something to do, once the socket takes bytes.
  bool isWaiting() const noexcept { return waitingBytes_ != 0 || failure_ != 0; }
  /// Writes what waits, as far as the socket takes it, and lets go of payloads.
  void flush() EXCLUDES(mutex_, socketMutex_);
  /// Why nothing can be sent any more; empty: it can.
  std::string failure() const;
  /// Nothing is sent any more, and the socket is not used from now on.
  void close() noexcept EXCLUDES(mutex_, socketMutex_);

 private:
  struct Outgoing {
    std::string head; ///< and what follows it without a payload
    Payload payload{};
    std::size_t size() const { return head.size() + payload.bytes.size(); }
  };
  using Queue = std::list<Outgoing>;

  bool post(const Head& head, std::string_view bytes, const Payload& payload, Urgency urgency) noexcept
      EXCLUDES(mutex_, socketMutex_);
  /// Writes a message if none waits, and keeps what the socket has not taken of it. False if that is all of it.
  bool sendNow(const Head& head, std::string_view bytes, const Payload& payload) noexcept REQUIRES(socketMutex_);
  void append(Outgoing outgoing) EXCLUDES(mutex_);
  /// Writes some of what waits, and moves messages to `sent` that have gone. False if the socket takes no more.
  bool writeSome(Queue& sent) noexcept REQUIRES(socketMutex_);
  /// How many bytes the socket has taken.
  std::size_t write(std::span<iovec> pieces) noexcept REQUIRES(socketMutex_);

  std::atomic<std::size_t> waitingBytes_{0}; ///< of both queues
  std::atomic<std::size_t> waitingTexts_{0}; ///< of these, all but payloads
  std::atomic<int> failure_{0};              ///< an error of the system, or kFull
  static constexpr int kFull = -1;
  Mutex socketMutex_; ///< held while bytes are written
  int socket_ GUARDED_BY(socketMutex_);
  Queue waiting_ GUARDED_BY(socketMutex_);
  std::size_t sentOfFirst_ GUARDED_BY(socketMutex_) = 0;
  Mutex mutex_;
  Queue added_ GUARDED_BY(mutex_); ///< goes behind what waits
  bool isClosed_ GUARDED_BY(mutex_) = false;
};

} // namespace clotho::node
