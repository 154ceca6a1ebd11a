// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/clock.hpp"
#include "device/device.hpp"
#include "device/joint/turns.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace clotho::joint {

/// One of the devices that a joint device is made of: a root device, or a share of one.
struct Member {
  static constexpr std::size_t kHost = SIZE_MAX;

  Device* device = nullptr;
  UnitList units;
  bool isShare = false;                 ///< of `units`
  std::unique_ptr<DeviceShare> share{}; ///< of the running process
  std::size_t memory = kHost;           ///< among the joint device's memories
  std::size_t root = 0;                 ///< among its root devices
};

/// Claims without those to what belongs to one piece of hardware, and to shared memory where a member has a memory of
/// its own.
Claims withoutOwn(Claims claims, bool haveMemories);

/// Several devices as one. Its launches are split among them where the compiler knows what each part reads and writes
/// (docs/architecture/split-launches.md); else the first member runs them. Its own home is the host's, to which it
/// copies; what parts of launches use is made valid in the members' homes. Lives as long as the process.
class JointDevice final : public Device, private Joint {
 public:
  /// `members`: root devices of this process, of which each is divided into `parts` shares if that can be done.
  /// `own`: those of them that are no devices of the platform. `host`: copies between parts of the host's memory; near,
  /// and perhaps a member, or one of `own`.
  JointDevice(const std::vector<Ref<Device>>& members, std::size_t parts, std::vector<Ref<Device>> own, Device& host);

  const std::vector<Member>& members() const { return members_; }
  /// The member for a launch that runs whole: the first, or another share of the same device that runs fewer such.
  std::size_t memberForWhole() const noexcept;
  void beginWhole(std::size_t member) const noexcept { whole_[member].fetch_add(1, std::memory_order_relaxed); }
  void endWhole(std::size_t member) const noexcept { whole_[member].fetch_sub(1, std::memory_order_relaxed); }
  Device& host() const { return host_; }
  /// Commands run one after the other where members have memories of their own: one that runs takes along bytes of its
  /// buffers that it does not change, which no other may write meanwhile. Whether a command may start now.
  bool mayStart(Run& run) const noexcept { return !turns_ || turns_->take(run); }
  /// A command that was started has ended: starts those that have waited for it.
  void startNext(WorkList& list) const noexcept;

  const DeviceProperties& properties() const noexcept override { return properties_; }
  const Claims& claims() const noexcept override { return claims_; }
  const Target& target() const noexcept override { return members_.front().device->target(); }
  /// Loads a build for the device's target alone, of which there is no other.
  std::unique_ptr<DeviceProgram> load(std::shared_ptr<const BuildResult> built, std::string& log) override;
  std::unique_ptr<DeviceQueue> makeQueue(const QueueTraits& traits) override;
  void checkCode(const BuildResult& built) const override { members_.front().device->checkCode(built); }
  bool isAvailable() const noexcept override;
  std::uint64_t now() const noexcept override { return hostTime(); }
  void afterFork() override;
  void startThreads() override;
  UnitList units() const override;
  /// Kernels that enqueue others run on the first member, and so does what they enqueue.
  DeviceEnqueue* deviceEnqueue() noexcept override { return members_.front().device->deviceEnqueue(); }
  Joint* joint() noexcept override { return this; }

 private:
  ~JointDevice() override = default;
  void destroy() noexcept override {}
  const std::vector<DeviceMemory*>& memories() const noexcept override { return memories_; }
  const std::vector<Target>& otherTargets() const noexcept override { return otherTargets_; }
  std::unique_ptr<DeviceProgram> load(std::vector<std::shared_ptr<const BuildResult>> builds,
                                      std::string& log) override;

  /// The code of two targets may take them in different orders. Nodes say for each kernel what it takes.
  bool takesPartArguments() const noexcept override { return otherTargets_.empty(); }

  void share();
  Claims commonClaims() const;
  DeviceProperties commonProperties() const;

  Device& host_;
  const std::vector<Ref<Device>> own_;
  std::vector<Member> members_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> whole_; ///< launches that each member runs whole
  std::unique_ptr<Turns> turns_;                        ///< null: no member has a memory of its own
  std::vector<Device*> roots_;                          ///< each once
  std::vector<DeviceMemory*> memories_;
  std::vector<Target> otherTargets_;
  std::vector<std::size_t> targetOfRoot_; ///< 0: the device's; i: other target i - 1
  Claims claims_;
  DeviceProperties properties_;
};

} // namespace clotho::joint

namespace clotho {

/// See joint::JointDevice.
Ref<Device> makeJointDevice(const std::vector<Ref<Device>>& members, std::size_t parts, std::vector<Ref<Device>> own,
                            Device& host);

} // namespace clotho
