// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/device_queue.h"
#include "command/node.hpp"
#include "device/cpu/device_events.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

/// Kernels that kernels enqueue (OpenCL 3.0, section 3.2.3).
namespace clotho::cpu {

class CpuDevice;
class LoadedProgram;
class RootEnqueuer;
struct Task;

/// A launch's part for kernels that it enqueues, beside its task. Threads that run its work-groups take from here what
/// they give to kernels, and leave here what has to wait until all work-groups have ended.
class Enqueuer {
 public:
  /// `event`: of a launch that a kernel has enqueued, if it has one; `account`: where the launch itself counts.
  Enqueuer(RootEnqueuer& root, Account& account, EventSlot* event) : root_(root), account_(account), event_(event) {}

  /// For the kernel that is about to run on this thread.
  Enqueuing begin(const LoadedProgram& program) const noexcept;
  /// Work-groups have returned: takes what they have left. After a fault all of that is given up.
  void take(Node& launch, Enqueuing& left, bool hasFault) noexcept;
  /// All work-groups have ended.
  void finish(Node& launch, cl_int status) noexcept;

  RootEnqueuer& root() const { return root_; }

 private:
  /// The account of what this launch enqueues: its own if its event can still be asked for, else the outer one.
  Account& accountForOthers() const noexcept;
  void enqueue(Node& launch, EnqueuedKernel& record, cl_int failure, WorkList& list) noexcept;
  void discard(EnqueuedKernel& record) noexcept;

  RootEnqueuer& root_;
  Account& account_;
  EventSlot* const event_;
  /// Records of kernels that wait for the end of this one (CLK_ENQUEUE_FLAGS_WAIT_KERNEL).
  std::atomic<EnqueuedKernel*> waiting_{nullptr};
};

/// State of all kernels that come of one launch of the host's, which completes with the last of them.
class RootEnqueuer {
 public:
  /// `launch` is about to start, as the node's command or a part of it. Throws bad_alloc.
  RootEnqueuer(Node& node, const Launch& launch, CpuDevice& device);

  Enqueuer& own() { return own_; }
  Node& launch() const { return launch_; }
  CpuDevice& device() const { return device_; }
  RootLaunch& shared() { return shared_; }
  const std::vector<std::uint64_t>& queues() const { return queues_; }
  const LoadedProgram& program() const { return program_; }
  bool zeroesLocal() const { return zeroesLocal_; }

  /// One of what counts in the account is over, with this status. What is complete with it becomes so, outwards.
  void end(Account& account, cl_int status) noexcept;

 private:
  /// All is over. Deletes this.
  void complete() noexcept;

  Node& launch_;
  CpuDevice& device_;
  const LoadedProgram& program_;
  const bool zeroesLocal_;
  std::vector<std::uint64_t> queues_; ///< the handles of those that kernels may use; first the default one, or 0
  RootLaunch shared_{};
  Account account_;
  Enqueuer own_;
};

/// The Enqueuer of the launch of a kernel that enqueues others. Throws bad_alloc.
Enqueuer& enqueuerOf(Node& node, const Launch& launch, CpuDevice& device);

} // namespace clotho::cpu
