// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/device_queue.h"
#include "command/node.hpp"
#include "device/cuda/context.hpp"
#include "device/cuda/node_thread.hpp"

#include <array>

namespace clotho::cuda {

struct QueueServices;

/// Data that a launch of the host and all that comes of it share in the device's memory (abi/device_queue.h).
struct EnqueueHeader {
  static constexpr std::size_t kMostContexts = 64;
  SlotPool events;
  RootLaunch root;
  std::uint64_t unused[3];
  Enqueuing contexts[kMostContexts]; ///< one for each account in which kernels count that run at once
};

/// Runs commands with kernels that enqueue others: one command at a time, on a thread and in streams of its own. What
/// such a command enqueues is known only when its kernels have ended, so it is never issued, only complete.
class EnqueueRunner {
 public:
  static constexpr std::size_t kMostQueues = 512; ///< that a launch may use
  static constexpr std::size_t kStreams = 8;      ///< for kernels that need no order
  static constexpr std::size_t kPinnedBytes = std::size_t{1} << 20;

  explicit EnqueueRunner(QueueServices& services);

  /// Begins a command whose dependencies are met. Returns at once. If it fails at once, commands that become
  /// ready by that go to the list.
  void start(Node& node, WorkList& ready) noexcept { thread_.start(node, ready); }

  // For what runs. The context is current.
  QueueServices& services() const { return services_; }
  /// The stream of all but kernels that run beside others.
  CUstream stream() const { return streams_[0]; }
  /// One of kStreams, or the first if there is no other to be had.
  CUstream stream(std::size_t number) noexcept;
  CUdeviceptr header() const { return memory_; }
  CUdeviceptr queues() const { return memory_ + sizeof(EnqueueHeader); }
  CUdeviceptr events() const { return queues() + kMostQueues * sizeof(std::uint64_t); }
  /// Memory of kPinnedBytes that copies need not wait for.
  std::byte* pinned() const { return pinned_; }
  /// Begin a copy that comes next in the stream. False if CUDA refuses. The source of `write` may change at once.
  bool write(CUdeviceptr to, const void* from, std::size_t bytes) noexcept;
  bool read(void* to, CUdeviceptr from, std::size_t bytes) noexcept;
  /// Waits for all that is in the stream, or in all streams. False if it failed.
  bool finish() noexcept { return finish(stream()); }
  bool finishAll() noexcept;

 private:
  void run(Node& node) noexcept;
  cl_int run(Node& node, const Command& command) noexcept;
  bool finish(CUstream stream) noexcept;
  /// Makes the first stream and the memory, once. False if there is none.
  bool makeReady() noexcept;

  QueueServices& services_;
  // State of the thread.
  std::array<CUstream, kStreams> streams_{};
  CUdeviceptr memory_ = 0;
  std::byte* pinned_ = nullptr;
  std::byte* staging_ = nullptr; // as many bytes, for what is written
  std::size_t staged_ = 0;       // that copies may still read
  bool isReady_ = false;

  NodeThread thread_;
};

} // namespace clotho::cuda
