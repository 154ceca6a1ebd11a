// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "command/node.hpp"
#include "device/cuda/context.hpp"
#include "device/cuda/copier.hpp"
#include "device/cuda/print_buffers.hpp"
#include "device/cuda/staging.hpp"
#include "device/cuda/streams.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace clotho::cuda {

/// Services that the queues of a device share.
struct QueueServices {
  /// `kernelsReachHost`: kernels may write to any memory of the host's.
  QueueServices(Context& context, bool kernelsReachHost)
      : context(context), kernelsReachHost(kernelsReachHost), streams(context), times(context), prints(context),
        staging(context), copier(*this) {}

  /// Waits for the predecessors of a command that are issued and may not be over.
  void awaitIssued(const Node& node) noexcept;
  /// Waits for reads by way of `staging` to memory that the copy, which is in no stream, uses.
  void awaitReads(const Copy& copy) noexcept;

  Context& context;
  const bool kernelsReachHost;
  Streams streams;
  EventTimes times;
  PrintBuffers prints;
  Staging staging;
  Copier copier;
};

/// A stream of commands that run one after the other. Threads that end its commands keep it alive meanwhile.
class Stream {
 public:
  /// Throws CL_OUT_OF_RESOURCES. `isTimed`: commands have times.
  Stream(QueueServices& services, bool isTimed);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Called once, with the stream's number among the device's, and the place at which its last owner has ended.
  void setNumber(std::uint16_t number, std::uint64_t place) noexcept EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    number_ = number;
    newest_ = written_ = place;
  }
  std::uint16_t number() const noexcept { return number_; }

  /// Puts a command into the stream, behind the commands of other streams that it has to follow. `slot`: of a copy that
  /// goes by way of the services' Staging.
  void issue(Node& node, WorkList& ready, const Staging::Slot& slot = {}) noexcept EXCLUDES(mutex_);
  /// Ends the commands that are done; whether there were any. No lock is held meanwhile.
  bool settle() noexcept EXCLUDES(mutex_);
  /// Sees to it that the stream will write that it has got to this place.
  void request(std::uint64_t place) noexcept EXCLUDES(mutex_);
  /// Asks the driver whether the stream is well, if it has something to do.
  void checkHealth() noexcept EXCLUDES(mutex_);

 private:
  struct Issued;
  static constexpr std::uint64_t kNone = UINT64_MAX;

  /// Makes the stream wait for commands of other streams. False if it cannot.
  bool waitForOthers(const Node& node) noexcept REQUIRES(mutex_);
  // These put a command into the stream. A status.
  cl_int put(const Command& command, Issued& issued) noexcept REQUIRES(mutex_);
  cl_int putLaunch(const Launch& launch, Issued& issued) noexcept REQUIRES(mutex_);
  cl_int putFill(const Fill& fill) noexcept REQUIRES(mutex_);
  cl_int putCopy(const Copy& copy) noexcept REQUIRES(mutex_);
  /// Makes the stream write the place of its newest command to its word.
  void writePlace() noexcept REQUIRES(mutex_);
  void end(Issued& issued, WorkList& list) noexcept;
  void reportFailure(const Issued& issued) noexcept;

  QueueServices& services_;
  Context& context_;
  const bool isTimed_;
  CUstream stream_ = nullptr;
  std::uint16_t number_ = 0;
  Mutex mutex_;
  std::uint64_t newest_ GUARDED_BY(mutex_) = 0;  // place of the newest command
  std::uint64_t written_ GUARDED_BY(mutex_) = 0; // newest place that the stream writes
  Issued* first_ GUARDED_BY(mutex_) = nullptr;   // commands that have not ended, in order
  bool isEnding_ GUARDED_BY(mutex_) = false;     // a thread ends commands that are in the list no more
  std::atomic<std::uint64_t> oldest_{kNone};     // place of the first of them, for threads without the lock
  Issued* last_ GUARDED_BY(mutex_) = nullptr;
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
  const std::shared_ptr<Stream> stream_;
};

} // namespace clotho::cuda
