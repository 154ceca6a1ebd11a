// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/device.hpp"

#include <cstdint>

namespace clotho {
struct Sequence;
}

namespace clotho::cpu {

class CpuDevice;
class CpuShare;
class WorkerPool;

/// A queue of the CPU device, or of a share of it: commands become tasks of a pool of threads. All queues of a device
/// have one pool in common.
class CpuQueue : public DeviceQueue {
 public:
  /// `share`: null for the whole device. `streams`: null unless commands are ordered by issue (StreamQueue).
  explicit CpuQueue(CpuDevice& device, CpuShare* share = nullptr, const void* streams = nullptr)
      : DeviceQueue(streams), device_(device), share_(share) {}

  CpuDevice& device() const { return device_; }
  void start(Node& node, WorkList&) noexcept override { start(node); }
  void start(Node& node) noexcept;
  /// The command of a node is over.
  virtual void complete(Node& node, cl_int status) noexcept;
  /// A part of a node's sequence is done, and well: goes on with the next, or ends the node.
  void startNext(Node& node, Sequence& sequence) noexcept;
  /// A launch is over, with all that it has enqueued: ends the node of which it is the command, or one of several.
  static void endLaunch(Node& node, cl_int status) noexcept;
  std::uint32_t workers() const noexcept;
  /// Gives what a task has counted in the device's PrivateBudget back, and starts those that have waited for it.
  static void giveBack(CpuDevice& device, std::uint64_t privateBytes) noexcept;

 private:
  WorkerPool& pool() const noexcept;

  CpuDevice& device_;
  CpuShare* const share_; // its sub-device outlives the queue
};

} // namespace clotho::cpu
