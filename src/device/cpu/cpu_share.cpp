// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/cpu_share.hpp"

#include "device/cpu/cpu_device.hpp"

namespace clotho::cpu {

std::uint32_t SharePools::Pool::cores(const CpuList& on, std::uint32_t workers) {
  return on.empty() ? workers : static_cast<std::uint32_t>(on.size());
}

std::unique_ptr<SharePools::Pool> SharePools::take(std::uint32_t workers, const CpuList& cpus) {
  {
    MutexLock lock(mutex_);
    for (std::unique_ptr<Pool>& idle : idle_)
      if (idle->threads.workers() == workers && idle->cpus == cpus) {
        std::swap(idle, idle_.back());
        std::unique_ptr<Pool> pool = std::move(idle_.back());
        idle_.pop_back();
        return pool;
      }
    idle_.reserve(++made_); // giving back cannot fail
  }
  return std::make_unique<Pool>(workers, cpus);
}

void SharePools::giveBack(std::unique_ptr<Pool> pool) noexcept {
  MutexLock lock(mutex_);
  idle_.push_back(std::move(pool));
}

CpuShare::CpuShare(CpuDevice& device, const UnitList& units)
    : device_(device), pool_(device.sharePools().take(static_cast<std::uint32_t>(units.size()), device.cpusOf(units))) {
}

CpuShare::~CpuShare() { device_.sharePools().giveBack(std::move(pool_)); }

std::unique_ptr<DeviceQueue> CpuShare::makeQueue(const QueueTraits& traits) { return device_.makeQueue(traits, this); }

// Without a thread of the share's pool, the thread that starts a command may have to run it, and what it makes ready.
// All of that has to be in one pool, which is the device's then.
WorkerPool& CpuShare::poolToStartOn() noexcept {
  return pool_->threads.ensureStarted() ? pool_->threads : device_.pool();
}

} // namespace clotho::cpu
