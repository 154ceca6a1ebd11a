// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/buffer_memory.hpp"
#include "device/cpu/cpu_share.hpp"
#include "device/cpu/facts_check.hpp"
#include "device/cpu/printf_arena.hpp"
#include "device/cpu/private_budget.hpp"
#include "device/cpu/topology.hpp"
#include "device/cpu/worker_pool.hpp"
#include "device/device.hpp"

#include <memory>

namespace clotho::cpu {

/// The processors that this process may use, as one device. Lives as long as the process: its threads never end.
class CpuDevice final : public Device {
 public:
  explicit CpuDevice(Platform& platform);

  const DeviceProperties& properties() const noexcept override { return properties_; }
  const Target& target() const noexcept override { return target_; }
  std::unique_ptr<DeviceProgram> load(std::shared_ptr<const BuildResult> built) override;
  void checkFacts(const BuiltKernel& kernel) const override { cpu::checkFacts(kernel); }
  void start(Event& event) noexcept override;
  void help(HelpFilter wanted, HelpCondition over, const void* context) noexcept override;
  void* allocate(std::size_t size, std::size_t alignment) noexcept override {
    return running_->memory.allocate(size, alignment);
  }
  void deallocate(void* memory, std::size_t size) noexcept override { running_->memory.deallocate(memory, size); }
  std::uint64_t now() const noexcept override;
  UnitList units() const override;
  std::vector<UnitList> unitsSharing(cl_device_affinity_domain domain, const UnitList& units) override;
  std::unique_ptr<DeviceShare> share(const UnitList& units) override;
  void afterFork() override;

  PrintfArenas& printfArenas() { return running_->printfArenas; }
  PrivateBudget& privateBudget() { return running_->privateBudget; }
  WorkerPool& pool() { return running_->pool; }
  SharePools& sharePools() { return running_->sharePools; }
  /// The processors of compute units; none when the machine's are not known.
  CpuList cpusOf(const UnitList& units) const;
  /// Starts a command of `device`, or of a share of it, on the threads of `pool`.
  static void startOn(WorkerPool& pool, CpuDevice& device, Event& event) noexcept;

 private:
  /// What belongs to one process and not to its forked children.
  struct Running {
    Running(const DeviceProperties& properties, const CpuList& cpus)
        : memory(properties.globalMemorySize), privateBudget(properties.privateMemorySize, properties.computeUnits),
          pool(properties.computeUnits, countOf(cpus), cpus) {}

    BufferMemory memory;
    PrivateBudget privateBudget;
    PrintfArenas printfArenas;
    SharePools sharePools;
    WorkerPool pool;
    std::unique_ptr<Running> inherited{}; ///< the parent's: never used or destroyed, as its threads may have been in it
  };

  CpuDevice(Platform& platform, CpuList cpus);
  ~CpuDevice() override = default;
  void destroy() noexcept override {}

  const Target target_;
  const DeviceProperties properties_;
  const CpuList cpus_; ///< that the process might use when it began
  std::unique_ptr<Running> running_;
};

} // namespace clotho::cpu

namespace clotho {

/// The CPU device of this process. Starts no thread and installs nothing.
Ref<Device> makeCpuDevice(Platform& platform);

} // namespace clotho
