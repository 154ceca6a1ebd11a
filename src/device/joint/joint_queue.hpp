// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/command.hpp"
#include "device/device.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace clotho::joint {

class JointDevice;
class JointKernel;
struct PartPlan;
class Run;

/// A queue of a joint device: each command becomes one or several parts, nodes of the graph on queues of the members,
/// which acquire what they use in their own homes. Nothing else runs there.
class JointQueue final : public DeviceQueue {
 public:
  JointQueue(const JointDevice& device, const QueueTraits& traits);

  void start(Node& node, WorkList& ready) noexcept override;
  bool placesCommands() const noexcept override { return true; }

 private:
  friend class Run;

  /// Starts the parts of a command: the node's, or one of its sequence. False if it has nothing to run, or has failed.
  /// Once a member is lost each command fails: the other members compute no results of which a part is missing.
  bool startCommand(Run& run, const Command& command, WorkList& ready) noexcept;
  /// The end of a map, or a barrier in a sequence.
  static bool startNothing(const Command& command);
  void startLaunch(Run& run, const Launch& launch, WorkList& ready);
  void startWhole(Run& run, const Launch& launch, const JointKernel& kernel, WorkList& ready);
  void startParts(Run& run, const Launch& launch, const JointKernel& kernel, std::vector<PartPlan> plan,
                  WorkList& ready);
  /// A launch of a member's code with arguments in its home.
  Command launchOn(std::size_t member, const Launch& launch, const JointKernel& kernel, const NDRange& range,
                   const std::array<std::uint64_t, 3>& firstGroups) const;
  HomeId homeOf(std::size_t member, const Launch& launch, const Node& node) const;

  const JointDevice& device_;
  std::vector<std::unique_ptr<DeviceQueue>> queues_; ///< of the members
  std::unique_ptr<DeviceQueue> copies_;              ///< within the host's memory
};

} // namespace clotho::joint
