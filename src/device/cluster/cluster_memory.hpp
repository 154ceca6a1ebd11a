// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cluster/cluster_queue.hpp"
#include "device/device_memory.hpp"

#include <atomic>
#include <cstdint>

namespace clotho::cluster {

/// The memory of a node's device. It is given out here: the node hears of each piece before anything uses it, and is
/// not waited for.
class ClusterMemory final : public DeviceMemory {
 public:
  /// `limit`: bytes that the device has. Throws CL_OUT_OF_RESOURCES if the device is lost.
  ClusterMemory(const QueueServices& services, Window& window, std::uint64_t limit)
      : session_(services.session), window_(window), limit_(limit), transfers_(services, QueueTraits{}) {}

  void* allocate(std::size_t size, std::size_t alignment) noexcept override;
  void deallocate(void* memory, std::size_t size) noexcept override;
  bool write(void* to, const void* from, std::size_t size) noexcept override;
  DeviceQueue& transfers() noexcept override { return transfers_; }

 private:
  Session& session_;
  Window& window_;
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
  ClusterQueue transfers_;
};

} // namespace clotho::cluster
