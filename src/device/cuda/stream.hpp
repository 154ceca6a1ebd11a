// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "command/node.hpp"
#include "device/cuda/context.hpp"
#include "device/cuda/copier.hpp"
#include "device/cuda/enqueue_runner.hpp"
#include "device/cuda/event_times.hpp"
#include "device/cuda/print_buffers.hpp"
#include "device/cuda/sequence_graph.hpp"
#include "device/cuda/staging.hpp"
#include "device/cuda/streams.hpp"

#include <atomic>
#include <cstdint>

namespace clotho::cuda {

/// Services that the queues of a device share.
struct QueueServices {
  /// `kernelsReachHost`: kernels may write to any memory of the host's.
  QueueServices(Context& context, const DeviceProperties& properties, bool kernelsReachHost)
      : context(context), properties(properties), kernelsReachHost(kernelsReachHost), times(context),
        streams(context, times), prints(context), staging(context), copier(*this), enqueuing(*this) {}

  /// Waits for the predecessors of a command that are issued and may not be over.
  void awaitIssued(const Node& node) noexcept;
  /// Waits for reads by way of `staging` to memory that the copy, which is in no stream, uses.
  void awaitReads(const Copy& copy) noexcept;

  Context& context;
  const DeviceProperties& properties;
  const bool kernelsReachHost;
  EventTimes times;
  Streams streams;
  PrintBuffers prints;
  GraphRecorder graphs;
  Staging staging;
  Copier copier;
  EnqueueRunner enqueuing;
};

/// A stream of commands that run one after the other. Lives as long as the process.
///
/// The stream writes to its word how far it has got, which costs about a quarter of a launch. So it does that for
/// commands whose event the application has, for the newest command when a thread waits for it or when no more come,
/// and within a batch now and then.
class Stream {
 public:
  /// `number`: among the device's streams. Throws CL_OUT_OF_RESOURCES.
  Stream(QueueServices& services, std::uint16_t number);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::uint16_t number() const noexcept { return number_; }
  /// Whether commands have times. Before a queue uses the stream.
  void setTimed(bool isTimed) noexcept { isTimed_ = isTimed; }

  /// Puts a command into the stream, behind the commands of other streams that it has to follow. `slot`: of a copy that
  /// goes by way of the services' Staging.
  void issue(Node& node, WorkList& ready, const Staging::Slot& slot = {}) noexcept EXCLUDES(mutex_);
  /// Ends the commands that are done, unless another thread is at it; whether there were any. No lock is held
  /// meanwhile.
  bool settle() noexcept EXCLUDES(mutex_);
  /// Sees to it that the stream will write that it has got to this place.
  void request(std::uint64_t place) noexcept EXCLUDES(mutex_);
  /// Requests the place of the newest command for a thread that waits, if `wanted` accepts the command. Unless that is
  /// the thread's first request, the stream has to reach the place that it writes next before.
  void requestFor(Helping::Filter wanted, const void* context, bool isFirst) noexcept EXCLUDES(mutex_);
  /// Whether there are commands that have not ended.
  bool hasCommands() const noexcept {
    return ended_.load(std::memory_order_seq_cst) < newest_.load(std::memory_order_seq_cst);
  }
  /// Whether commands have been put into the stream since the last call; if not, makes sure that the end of the newest
  /// will be told. By the device's thread alone.
  bool look() noexcept EXCLUDES(mutex_);
  /// Asks the driver whether the stream is well, if it has something to do. Loses the device if the oldest command has
  /// run for longer than Streams::limit(). By the device's thread alone.
  void checkHealth() noexcept;

 private:
  struct Issued;
  /// Most commands of a batch whose ends are told at once.
  static constexpr std::uint64_t kMostUntold = 64;

  /// Makes the stream wait for commands of other streams. False if it cannot.
  bool waitForOthers(const Node& node) noexcept REQUIRES(mutex_);
  // These put a command into the stream. A status.
  cl_int put(const Command& command, Issued& issued) noexcept REQUIRES(mutex_);
  cl_int putLaunch(const Launch& launch, Issued& issued) noexcept REQUIRES(mutex_);
  cl_int putSequence(const Sequence& sequence, Issued& issued) noexcept REQUIRES(mutex_);
  cl_int putTracedSequence(const Sequence& sequence, Issued& issued) noexcept REQUIRES(mutex_);
  /// Makes the stream write the place of its newest command to its word. The context is current.
  void writePlace() noexcept REQUIRES(mutex_);
  /// The place of the last command that is done; the lost device is done with all.
  std::uint64_t done() const noexcept {
    return context_.isLost() ? newest_.load(std::memory_order_acquire) : services_.streams.reached(number_);
  }
  /// The oldest command that has not ended, by the thread that has set `isEnding_`.
  Issued* oldest() noexcept;
  void end(Issued& issued, WorkList& list) noexcept;
  void reportFailure(const Issued& issued) noexcept;
  /// The place of the oldest command that has not ended, if it waits for none in other streams; or 0.
  std::uint64_t running() noexcept;

  QueueServices& services_;
  Context& context_;
  const std::uint16_t number_;
  bool isTimed_ = false;
  CUstream stream_ = nullptr;
  // State of the device's thread.
  std::uint64_t seen_ = 0;                       // the newest place when look() was called
  std::uint64_t running_ = 0, runningSince_ = 0; // what running() was when checkHealth() was called, and since when

  // State of threads that put commands into the stream. The places are written with the lock.
  alignas(64) Mutex mutex_;
  std::atomic<std::uint64_t> newest_{0};          // place of the newest command
  std::atomic<std::uint64_t> written_{0};         // newest place that the stream writes
  Node* newestNode_ GUARDED_BY(mutex_) = nullptr; // the newest command, while its place is not one that is written
  std::atomic<Issued*> incoming_{nullptr};        // commands that are not in the list below yet, newest first

  // State of threads that end commands.
  alignas(64) std::atomic<std::uint64_t> ended_{0}; // place of the newest command that has ended, or is ended now
  std::atomic<bool> isEnding_{false};               // one thread at a time, so that what kernels print comes in order
  Issued* first_ = nullptr;                         // commands that have not ended, in order
};

/// A queue of a GPU has one stream, in order or not: the device may run the commands of a queue that is out of order in
/// any order. Large copies of the application's memory are the copier's, unless that memory is pinned.
class CudaQueue final : public DeviceQueue {
 public:
  /// Throws CL_OUT_OF_RESOURCES.
  CudaQueue(QueueServices& services, const QueueTraits& traits);
  ~CudaQueue() override;

  void start(Node& node, WorkList& ready) noexcept override;
  bool streams(const Copy& copy) const noexcept override;

 private:
  QueueServices& services_;
  Stream& stream_;
};

} // namespace clotho::cuda
