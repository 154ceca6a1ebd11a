// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// Messages between two processes of one machine: a ring of bytes in shared memory for each direction. Neither side
/// trusts the other: each keeps its own place to itself, and looks at what the other one has written before it counts
/// on it.
namespace clotho::cluster {

/// The shared part of a ring beside its bytes. Places count bytes from the beginning and never go back.
struct RingHead {
  alignas(64) std::atomic<std::uint64_t> written{0}; ///< by the writer
  alignas(64) std::atomic<std::uint64_t> read{0};    ///< by the reader
  alignas(64) std::atomic<std::uint32_t> sleeps{0};  ///< the reader wants to be woken
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && sizeof(RingHead) == 192);

/// The end that writes. One thread at a time.
class RingWriter {
 public:
  /// `bytes`: a power of two of them, aligned for numbers of 64 bits.
  RingWriter(RingHead& head, std::span<std::byte> bytes) : head_(head), bytes_(bytes) {}

  /// Longest message that can be written.
  std::size_t most() const { return bytes_.size() / 4; }
  /// False when there is no room now. An empty message is none.
  bool write(std::string_view message) noexcept;
  /// Whether the reader sleeps; then it does not any more, and the caller has to wake it.
  bool takeSleeper() noexcept;

 private:
  RingHead& head_;
  const std::span<std::byte> bytes_;
  std::uint64_t place_ = 0;
};

/// The end that reads. One thread at a time; any thread may ask whether there is something.
class RingReader {
 public:
  RingReader(RingHead& head, std::span<const std::byte> bytes) : head_(head), bytes_(bytes) {}

  enum class Found : std::uint8_t { Message, Nothing, Damage };
  /// Copies the oldest message, since the writer could change it while it is looked at. After damage nothing can be
  /// read any more.
  Found read(std::string& message);
  bool isEmpty() const noexcept {
    return head_.written.load(std::memory_order_seq_cst) == place_.load(std::memory_order_relaxed);
  }
  /// From now on the writer wakes this end, once. Look whether the ring is empty afterwards.
  void beginSleep() noexcept { head_.sleeps.store(1, std::memory_order_seq_cst); }
  void endSleep() noexcept { head_.sleeps.store(0, std::memory_order_relaxed); }

 private:
  RingHead& head_;
  const std::span<const std::byte> bytes_;
  std::atomic<std::uint64_t> place_{0};
};

} // namespace clotho::cluster
