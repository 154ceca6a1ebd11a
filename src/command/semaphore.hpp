// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "command/node.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace clotho {

/// One signal of a semaphore in the command graph: a node without a device, which the signalling command ends
/// and for which a waiting command waits.
class SemaphorePulse final : public Node {
 public:
  SemaphorePulse() : Node(nullptr, work_, state_, /*isTimed=*/false) {}

  /// Once; frees the command that waits for it.
  void end(cl_int status, WorkList& list) noexcept {
    retain(); // which the end of a node gives back
    complete(status, list);
  }
  void report(std::string, LogLevel) noexcept override {} // has nothing to run that could fail

 private:
  friend class BinarySemaphore;

  // Guarded by the semaphore's mutex:
  Ref<SemaphorePulse> next_; // in the list of pulses for which no signal is enqueued yet
  std::uint64_t signal_ = 0; // the how-manieth of the semaphore's signals it is
  bool isRaised_ = false;    // signalled, and the command that waits for it has not ended
  bool isReplaced_ = false;  // by a later signal, before a command waited for it

  Command work_;
  DeviceState state_;
};

/// A binary semaphore (cl_khr_semaphore).
///
/// Signals and waits meet in the order in which they are enqueued: each wait takes the signal that was enqueued before
/// it, or else the next one. So a semaphore can be signalled again as soon as the wait is enqueued, whatever runs
/// first, and enqueueing never blocks, though the specification allows it.
/// - A command whose signal fails fails, too: there may never be another signal.
/// - A wait that fails for another reason leaves the semaphore signalled, unless a later signal was enqueued.
/// - A signal replaces the one before if no wait for that was enqueued.
class BinarySemaphore : public Object {
 public:
  /// Whether it is in the signalled state. Waits that are enqueued do not change that, only those that are done.
  bool isSignaled() const EXCLUDES(mutex_);

  /// A signal is enqueued: what has to be ended when it is done; `fresh`, if no command waits already.
  [[nodiscard]] Ref<SemaphorePulse> addSignal(Ref<SemaphorePulse> fresh) noexcept EXCLUDES(mutex_);
  /// A wait is enqueued: what it has to wait for; `fresh`, if it comes before its signal.
  [[nodiscard]] Ref<SemaphorePulse> addWait(Ref<SemaphorePulse> fresh) noexcept EXCLUDES(mutex_);

  /// A signal is over, and its status is not published yet. The caller ends the pulse next.
  void signalEnds(SemaphorePulse& pulse, cl_int status) noexcept EXCLUDES(mutex_);
  /// Both at once, of a signal that no command gives.
  void endSignal(SemaphorePulse& pulse, cl_int status) noexcept EXCLUDES(mutex_);
  /// A wait is over, and its status is not published yet. Returns the pulse to be ended next if the signal goes to
  /// another wait, else null.
  [[nodiscard]] Ref<SemaphorePulse> waitEnds(SemaphorePulse& pulse, cl_int status) noexcept EXCLUDES(mutex_);

 private:
  void setRaised(SemaphorePulse& pulse, bool isRaised) noexcept REQUIRES(mutex_);
  Ref<SemaphorePulse> takeUnsignaled() noexcept REQUIRES(mutex_);

  mutable Mutex mutex_;
  Ref<SemaphorePulse> unwaited_ GUARDED_BY(mutex_);        // of the newest signal, if no command waits for it
  Ref<SemaphorePulse> firstUnsignaled_ GUARDED_BY(mutex_); // waited for, and no signal is enqueued yet
  SemaphorePulse* lastUnsignaled_ GUARDED_BY(mutex_) = nullptr;
  std::uint64_t signals_ GUARDED_BY(mutex_) = 0; // enqueued
  std::uint64_t raised_ GUARDED_BY(mutex_) = 0;  // pulses
};

/// Has memory for all that is to come from the beginning.
class SemaphoreList : public SemaphoreUse {
 public:
  /// `semaphores`: each once.
  explicit SemaphoreList(const std::vector<Ref<BinarySemaphore>>& semaphores);
  std::size_t size() const noexcept override { return used_.size(); }

 protected:
  struct Used {
    Ref<BinarySemaphore> semaphore;
    Ref<SemaphorePulse> pulse;
  };
  std::vector<Used> used_;
};

class SemaphoreSignal final : public SemaphoreList {
 public:
  using SemaphoreList::SemaphoreList;
  void enqueued(Node& command) noexcept override;
  void ends(cl_int status) noexcept override;
  void ended(cl_int status, WorkList& list) noexcept override;
};

class SemaphoreWait final : public SemaphoreList {
 public:
  using SemaphoreList::SemaphoreList;
  void enqueued(Node& command) noexcept override;
  void ends(cl_int status) noexcept override;
  void ended(cl_int status, WorkList& list) noexcept override;
};

} // namespace clotho
