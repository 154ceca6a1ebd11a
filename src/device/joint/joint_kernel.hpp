// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/device.hpp"
#include "device/joint/part_shares.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace clotho::joint {

struct Member;

/// A kernel of a joint device: that of each member.
class JointKernel final : public DeviceKernel {
 public:
  /// `members`: of each member, null where that has none, but for the first. `units`: their compute units.
  JointKernel(BuiltKernel built, std::vector<const DeviceKernel*> members, const std::vector<double>& units);

  /// The code of a member; null if that cannot run what the others do, since its sub-groups have another size, it
  /// needs more local memory than launches are given, or it sees another part of them.
  const DeviceKernel* of(std::size_t member) const { return members_[member]; }
  std::vector<double> shares() const { return shares_.shares(); }
  /// Changes the shares by what the parts of a launch have taken, and tells the log when it does.
  void noteTimes(std::span<const PartTime> parts) const noexcept;
  /// Tells the log how a launch runs, unless the launch before it ran alike. `parts`: 1 if it runs whole.
  void tellParts(std::size_t parts, std::uint32_t dimension) const noexcept;

  std::uint64_t privateBytesOfGroup(const std::array<std::uint64_t, 3>& local) const noexcept override;
  std::size_t largestGroup(std::uint64_t bytes, std::size_t most) const noexcept override;
  void chooseLocalSize(NDRange& range, const DeviceProperties& device) const noexcept override;

 private:
  /// Whether each member has room for work-groups of this size.
  bool fits(const NDRange& range, const DeviceProperties& device) const noexcept;
  /// Whether there are too few work-groups for the members, although they could be smaller.
  bool isCoarse(const NDRange& range) const noexcept;

  const BuiltKernel own_;
  std::vector<const DeviceKernel*> members_;
  mutable PartShares shares_;
  mutable std::atomic<std::size_t> told_{0}; ///< parts that the log has been told of
};

/// A program of a joint device: that of each root device among the members.
class JointProgram final : public DeviceProgram {
 public:
  JointProgram(const BuildResult& built, std::vector<std::unique_ptr<DeviceProgram>> programs,
               const std::vector<Member>& members);

  const DeviceKernel* kernel(std::string_view name) const noexcept override;
  std::vector<ProgramVariable> variables() const override { return programs_.front()->variables(); }

 private:
  std::vector<std::unique_ptr<DeviceProgram>> programs_;
  std::vector<std::unique_ptr<JointKernel>> kernels_;
};

} // namespace clotho::joint
