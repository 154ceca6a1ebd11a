// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/clock.hpp"
#include "device/cpu/cpu_share.hpp"
#include "device/cpu/device_events.hpp"
#include "device/cpu/facts_check.hpp"
#include "device/cpu/far_memory.hpp"
#include "device/cpu/printf_arena.hpp"
#include "device/cpu/private_budget.hpp"
#include "device/cpu/stream_queue.hpp"
#include "device/cpu/topology.hpp"
#include "device/cpu/worker_pool.hpp"
#include "device/device.hpp"

#include <memory>

namespace clotho::cpu {

/// How a CPU device behaves. All but near ones are for tests of how programs and Clotho do with other devices.
enum class Kind : std::uint8_t {
  Near,   ///< works in the host's memory
  Far,    ///< has a memory of its own
  Bare,   ///< is far and has none of the abilities that OpenCL 3.0 leaves to devices
  Stream, ///< is far and orders commands by itself, as GPUs do (StreamQueue)
  Mortal, ///< is such, and is lost for ever when a kernel faults
};

/// The processors that this process may use, or a part of them, as one device. Lives as long as the process: its
/// threads never end.
class CpuDevice final : public Device, private Helping, private DeviceEnqueue, private Partitioning {
 public:
  CpuDevice(Kind kind, CpuPart part);

  const DeviceProperties& properties() const noexcept override { return properties_; }
  const Claims& claims() const noexcept override { return kind_ == Kind::Bare ? kBareClaims : kClaims; }
  const Target& target() const noexcept override { return target_; }
  std::unique_ptr<DeviceProgram> load(std::shared_ptr<const BuildResult> built, std::string& log) override;
  std::unique_ptr<DeviceQueue> makeQueue(const QueueTraits& traits) override;
  void checkCode(const BuildResult& built) const override;
  std::uint64_t now() const noexcept override { return hostTime(); }
  bool isAvailable() const noexcept override { return !isLost_.load(std::memory_order_acquire); }
  UnitList units() const override;
  void afterFork() override;
  void startThreads() override { running_->pool.startAll(); }
  DeviceMemory* memory() noexcept override { return running_->farMemory.get(); }
  Helping* helping() noexcept override { return this; }
  DeviceEnqueue* deviceEnqueue() noexcept override { return kind_ == Kind::Bare ? nullptr : this; }
  Partitioning* partitioning() noexcept override { return kind_ == Kind::Bare ? nullptr : this; }

  PrintfArenas& printfArenas() { return running_->printfArenas; }
  DeviceEvents& deviceEvents() { return running_->deviceEvents; }
  PrivateBudget& privateBudget() { return running_->privateBudget; }
  WorkerPool& pool() { return running_->pool; }
  SharePools& sharePools() { return running_->sharePools; }
  Streams& streams() { return running_->streams; }
  bool hasStreams() const { return kind_ >= Kind::Stream; }
  std::unique_ptr<DeviceQueue> makeQueue(const QueueTraits& traits, CpuShare* share);
  /// A kernel has done what it must not.
  void noteFault() noexcept {
    if (kind_ == Kind::Mortal) isLost_.store(true, std::memory_order_release);
  }
  /// The processors of compute units; none when the machine's are not known.
  CpuList cpusOf(const UnitList& units) const;

 private:
  /// The part that belongs to one process and not to its forked children.
  struct Running {
    Running(CpuDevice& device, const DeviceProperties& properties, const CpuList& cpus)
        : streams(device), privateBudget(properties.privateMemorySize, properties.computeUnits),
          pool(properties.computeUnits, countOf(cpus), cpus) {}

    Streams streams;
    PrivateBudget privateBudget;
    PrintfArenas printfArenas;
    DeviceEvents deviceEvents;
    SharePools sharePools;
    WorkerPool pool;
    std::unique_ptr<FarMemory> farMemory{}; ///< null: the host's
    std::unique_ptr<Running> inherited{}; ///< the parent's: never used or destroyed, as its threads may have been in it
  };

  static constexpr Claims kClaims = Claims::of(claims::kCpu), kBareClaims = Claims::of(claims::kBare);

  CpuDevice(Kind kind, CpuPart part, const CpuList& all);
  ~CpuDevice() override = default;
  void destroy() noexcept override {}
  void help(Filter wanted, Condition over, const void* context) noexcept override;
  Ref<OnDeviceQueue> makeOnDeviceQueue(const OnDeviceQueueTraits& traits) override;
  std::vector<UnitList> unitsSharing(cl_device_affinity_domain domain, const UnitList& units) override;
  std::unique_ptr<DeviceShare> share(const UnitList& units) override;

  void run(const CpuList& cpus);

  const Kind kind_;
  const CpuPart part_;
  std::atomic<bool> isLost_{false};
  const Target target_;
  const DeviceProperties properties_;
  const CpuList cpus_; ///< the part's, of those that the process might use when it began
  std::unique_ptr<Running> running_;
};

} // namespace clotho::cpu

namespace clotho {

/// Bytes of the machine's memory that memory objects of this process may take: `chosenMiB`, if that is not 0.
std::uint64_t memoryForObjects(std::uint64_t chosenMiB);

/// A CPU device of this process, of all its processors or of a part of them. Starts no thread and installs nothing.
Ref<Device> makeCpuDevice(cpu::Kind kind, cpu::CpuPart part = {});

} // namespace clotho
