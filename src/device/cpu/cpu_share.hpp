// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "device/cpu/worker_pool.hpp"
#include "device/device.hpp"

namespace clotho::cpu {

class CpuDevice;

/// Pools of threads for shares of a CPU device. Threads never end, so a pool that is not needed any more waits for the
/// next share of the same processors.
class SharePools {
 public:
  struct Pool {
    Pool(std::uint32_t workers, const CpuList& on)
        : cpus(on), threads(workers, cores(on, workers), on, WorkerPool::For::Share) {}
    const CpuList cpus;
    WorkerPool threads;

   private:
    static std::uint32_t cores(const CpuList& on, std::uint32_t workers);
  };
  std::unique_ptr<Pool> take(std::uint32_t workers, const CpuList& cpus);
  void giveBack(std::unique_ptr<Pool> pool) noexcept;

 private:
  Mutex mutex_;
  std::size_t made_ GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<Pool>> idle_ GUARDED_BY(mutex_);
};

/// Threads of its own on the processors of some compute units.
class CpuShare final : public DeviceShare {
 public:
  CpuShare(CpuDevice& device, const UnitList& units);
  ~CpuShare() override;
  std::unique_ptr<DeviceQueue> makeQueue(const QueueTraits& traits) override;
  WorkerPool& poolToStartOn() noexcept;

 private:
  CpuDevice& device_;
  std::unique_ptr<SharePools::Pool> pool_;
};

} // namespace clotho::cpu
