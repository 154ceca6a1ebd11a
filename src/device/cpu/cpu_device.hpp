// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/cpu_share.hpp"
#include "device/cpu/device_events.hpp"
#include "device/cpu/facts_check.hpp"
#include "device/cpu/far_memory.hpp"
#include "device/cpu/printf_arena.hpp"
#include "device/cpu/private_budget.hpp"
#include "device/cpu/topology.hpp"
#include "device/cpu/worker_pool.hpp"
#include "device/device.hpp"

#include <memory>

namespace clotho::cpu {

/// The memory in which a CPU device keeps the bytes of memory objects: the host's, or one of its own. The latter is for
/// tests of how programs and Clotho do with devices that cannot work in the host's. A bare device is far and has none
/// of the abilities that OpenCL 3.0 leaves to devices.
enum class Home : std::uint8_t { Near, Far, Bare };

/// The processors that this process may use, as one device. Lives as long as the process: its threads never end.
class CpuDevice final : public Device, private Helping, private DeviceEnqueue, private Partitioning {
 public:
  explicit CpuDevice(Home home);

  const DeviceProperties& properties() const noexcept override { return properties_; }
  const Claims& claims() const noexcept override { return home_ == Home::Bare ? kBareClaims : kClaims; }
  const Target& target() const noexcept override { return target_; }
  std::unique_ptr<DeviceProgram> load(std::shared_ptr<const BuildResult> built, std::string& log) override;
  std::unique_ptr<DeviceQueue> makeQueue(const QueueTraits& traits) override;
  void checkCode(const BuildResult& built) const override;
  std::uint64_t now() const noexcept override;
  UnitList units() const override;
  void afterFork() override;
  void startThreads() override { running_->pool.startAll(); }
  DeviceMemory* memory() noexcept override { return running_->farMemory.get(); }
  Helping* helping() noexcept override { return this; }
  DeviceEnqueue* deviceEnqueue() noexcept override { return home_ == Home::Bare ? nullptr : this; }
  Partitioning* partitioning() noexcept override { return home_ == Home::Bare ? nullptr : this; }

  PrintfArenas& printfArenas() { return running_->printfArenas; }
  DeviceEvents& deviceEvents() { return running_->deviceEvents; }
  PrivateBudget& privateBudget() { return running_->privateBudget; }
  WorkerPool& pool() { return running_->pool; }
  SharePools& sharePools() { return running_->sharePools; }
  /// The processors of compute units; none when the machine's are not known.
  CpuList cpusOf(const UnitList& units) const;

 private:
  /// What belongs to one process and not to its forked children.
  struct Running {
    Running(CpuDevice& device, Home home, const DeviceProperties& properties, const CpuList& cpus)
        : farMemory(home != Home::Near ? std::make_unique<FarMemory>(device, properties.globalMemorySize) : nullptr),
          privateBudget(properties.privateMemorySize, properties.computeUnits),
          pool(properties.computeUnits, countOf(cpus), cpus) {}

    std::unique_ptr<FarMemory> farMemory; ///< null: the host's
    PrivateBudget privateBudget;
    PrintfArenas printfArenas;
    DeviceEvents deviceEvents;
    SharePools sharePools;
    WorkerPool pool;
    std::unique_ptr<Running> inherited{}; ///< the parent's: never used or destroyed, as its threads may have been in it
  };

  static constexpr Claims kClaims = Claims::of(claims::kCpu), kBareClaims = Claims::of(claims::kBare);

  CpuDevice(Home home, CpuList cpus);
  ~CpuDevice() override = default;
  void destroy() noexcept override {}
  void help(Filter wanted, Condition over, const void* context) noexcept override;
  Ref<OnDeviceQueue> makeOnDeviceQueue(const OnDeviceQueueTraits& traits) override;
  std::vector<UnitList> unitsSharing(cl_device_affinity_domain domain, const UnitList& units) override;
  std::unique_ptr<DeviceShare> share(const UnitList& units) override;

  const Home home_;
  const Target target_;
  const DeviceProperties properties_;
  const CpuList cpus_; ///< that the process might use when it began
  std::unique_ptr<Running> running_;
};

} // namespace clotho::cpu

namespace clotho {

/// A CPU device of this process. Starts no thread and installs nothing.
Ref<Device> makeCpuDevice(cpu::Home home);

} // namespace clotho
