// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "device/cpu/cpu_queue.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace clotho::cpu {

class Streams;

/// A first-in first-out list of commands, as GPUs have them: each begins when the one before it has ended, and what the
/// graph says that it follows in other streams. Guarded by the lock of `Streams`.
struct Stream {
  /// A command that has not begun. Lies in Node::deviceState until then.
  struct Entry {
    Node* node;
    Entry* next = nullptr;
    bool isIssued = false;
  };

  std::uint32_t number = 0; ///< of the device's streams; never used again
  std::uint32_t last = 0;   ///< place of the newest command; the first is 1
  std::uint32_t ended = 0;  ///< place of the last command that has ended
  Entry* first = nullptr;
  Entry* newest = nullptr;
  Node* running = nullptr;
  std::uint64_t startedAt = 0; ///< time at which that began
  Stream* next = nullptr;      ///< of the device
};

/// All streams of one device. Commands are completed without the lock.
class Streams {
 public:
  explicit Streams(CpuDevice& device) : device_(device) {}

  void add(Stream& stream) noexcept EXCLUDES(mutex_);
  /// Nothing is in the stream.
  void remove(Stream& stream) noexcept EXCLUDES(mutex_);
  /// Puts a command at the end of a stream. Its ticket; it begins no earlier than `issued`.
  std::uint64_t append(Stream& stream, Node& node) noexcept EXCLUDES(mutex_);
  void issued(Node& node) noexcept EXCLUDES(mutex_);
  void ended(Node& node, cl_int status) noexcept EXCLUDES(mutex_);

 private:
  /// A command that runs, and its stream, which may be gone when the command is complete.
  struct Running {
    Node* node = nullptr;
    std::uint32_t stream = 0;
    std::uint64_t startedAt = 0; ///< time
  };

  /// Begins all commands that may.
  void advance() noexcept EXCLUDES(mutex_);
  Running takeNext() noexcept EXCLUDES(mutex_);
  Running find(const Node& node) noexcept EXCLUDES(mutex_);
  /// The running command of the stream has ended.
  void free(std::uint32_t number) noexcept EXCLUDES(mutex_);
  bool mayBegin(const Stream& stream) const noexcept REQUIRES(mutex_);

  CpuDevice& device_;
  Mutex mutex_;
  Stream* first_ GUARDED_BY(mutex_) = nullptr;
  std::uint32_t lastNumber_ GUARDED_BY(mutex_) = 0;
};

/// A queue of a CPU device that behaves like a GPU: the device orders commands, which the host gives it as soon as
/// those before them are given, and tells times and ends afterwards. Copies with the host's memory, transfers and
/// kernels that kernels enqueue begin at once.
class StreamQueue final : public CpuQueue {
 public:
  StreamQueue(CpuDevice& device, CpuShare* share, const QueueTraits& traits);
  ~StreamQueue() override;
  void start(Node& node, WorkList& ready) noexcept override;
  void complete(Node& node, cl_int status) noexcept override;

 private:
  /// Streams of an out-of-order queue: each command goes to the next one.
  static constexpr std::uint32_t kOutOfOrderStreams = 4;

  Streams& streams_;
  const std::uint32_t count_;
  std::atomic<std::uint32_t> turn_{0};
  std::array<Stream, kOutOfOrderStreams> own_;
};

} // namespace clotho::cpu
