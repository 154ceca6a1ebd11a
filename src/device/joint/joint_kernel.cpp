// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/joint/joint_kernel.hpp"

#include "base/log.hpp"
#include "command/nd_range.hpp"
#include "device/joint/joint_device.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace clotho::joint {

namespace {

/// Members that cannot run the kernel have no share of its launches.
std::vector<double> unitsOf(const std::vector<const DeviceKernel*>& members, std::vector<double> units) {
  for (std::size_t i = 0; i < members.size(); ++i)
    if (!members[i]) units[i] = 0;
  return units;
}

/// The build with what the first member's code is like. Queries and launches go by that.
BuiltKernel likeFirst(BuiltKernel built, const DeviceKernel& first) {
  built.limits = first.limits();
  built.work = first.work();
  built.footprint = first.footprint();
  return built;
}

/// Leaves out members whose code is not like that.
std::vector<const DeviceKernel*> fitting(const BuiltKernel& built, std::vector<const DeviceKernel*> members) {
  for (const DeviceKernel*& member : members) {
    if (!member) continue;
    const GroupLimits& limits = member->limits();
    const bool hasOtherSubGroups = limits.usesSubGroups != built.limits.usesSubGroups ||
                                   (limits.usesSubGroups && limits.subGroupSize != built.limits.subGroupSize);
    if (hasOtherSubGroups || limits.localBytes > built.limits.localBytes ||
        member->footprint().partArguments != built.footprint.partArguments)
      member = nullptr;
  }
  return members;
}

/// Makes work-groups half as large, along the slowest dimension that allows it, so that neighbours in memory stay
/// together. Sizes that divide the global size still do so afterwards. False if they have one work-item.
bool halveGroups(NDRange& range) {
  for (std::size_t i = 3; i-- > 0;)
    if (range.local[i] % 2 == 0) {
      range.local[i] /= 2;
      return true;
    }
  for (std::uint64_t& size : range.local)
    if (size != 1) {
      size = 1;
      return true;
    }
  return false;
}

} // namespace

JointKernel::JointKernel(BuiltKernel built, std::vector<const DeviceKernel*> members, const std::vector<double>& units)
    : DeviceKernel(own_), own_(likeFirst(std::move(built), *members.front())),
      members_(fitting(own_, std::move(members))), shares_(unitsOf(members_, units)) {}

void JointKernel::tellParts(std::size_t parts, std::uint32_t dimension) const noexcept {
  if (told_.exchange(parts, std::memory_order_relaxed) == parts || !logEnabled(LogArea::Device, LogLevel::Info)) return;
  if (parts > 1) {
    logLine(LogArea::Device, LogLevel::Info, "kernel '%s' runs in %zu parts along dimension %u", info().name.c_str(),
            parts, dimension);
    return;
  }
  try {
    const std::string why = describe(footprint());
    logLine(LogArea::Device, LogLevel::Info, "kernel '%s' runs whole on one device (%s)", info().name.c_str(),
            why.c_str());
  } catch (const std::bad_alloc&) {
    // The log has lines for people alone.
  }
}

void JointKernel::noteTimes(std::span<const PartTime> parts) const noexcept {
  if (!shares_.note(parts) || !logEnabled(LogArea::Device, LogLevel::Info)) return;
  try {
    constexpr double kPerMille = 1000;
    std::string text;
    for (const double share : shares())
      text += ' ' + std::to_string(std::lround(share * kPerMille));
    logLine(LogArea::Device, LogLevel::Info, "kernel '%s': of a thousand work-items the members now get%s",
            info().name.c_str(), text.c_str());
  } catch (const std::bad_alloc&) {
    // The log has lines for people alone.
  }
}

std::uint64_t JointKernel::privateBytesOfGroup(const std::array<std::uint64_t, 3>& local) const noexcept {
  std::uint64_t most = 0;
  for (const DeviceKernel* member : members_)
    if (member) most = std::max(most, member->privateBytesOfGroup(local));
  return most;
}

std::size_t JointKernel::largestGroup(std::uint64_t bytes, std::size_t most) const noexcept {
  for (const DeviceKernel* member : members_)
    if (member) most = std::min(most, member->largestGroup(bytes, most));
  return most;
}

// The first member knows neither how many take part in the launch nor what the others have room for.
void JointKernel::chooseLocalSize(NDRange& range, const DeviceProperties& device) const noexcept {
  members_.front()->chooseLocalSize(range, device);
  while (!fits(range, device) || isCoarse(range))
    if (!halveGroups(range)) return;
}

bool JointKernel::fits(const NDRange& range, const DeviceProperties& device) const noexcept {
  return range.groupItems() <= largestGroup(device.privateMemorySize, device.maxWorkGroupSize) &&
         privateBytesOfGroup(range.local) <= device.privateMemorySize;
}

// With fewer work-groups for a member, parts are of unequal size. Smaller work-groups cost more than they gain.
bool JointKernel::isCoarse(const NDRange& range) const noexcept {
  constexpr std::uint64_t kGroupsOfMember = 4, kLeastItems = 64;
  if (range.groupItems() < 2 * kLeastItems) return false;
  std::uint64_t groups = 1;
  for (int i = 0; i < 3; ++i)
    if (__builtin_mul_overflow(groups, range.groups(i), &groups)) return false;
  return groups < kGroupsOfMember * members_.size();
}

JointProgram::JointProgram(const BuildResult& built, std::vector<std::unique_ptr<DeviceProgram>> programs,
                           const std::vector<Member>& members)
    : programs_(std::move(programs)) {
  std::vector<double> units;
  units.reserve(members.size());
  for (const Member& member : members)
    units.push_back(static_cast<double>(member.units.size()));
  for (const BuiltKernel& kernel : built.kernels) {
    std::vector<const DeviceKernel*> codes;
    codes.reserve(members.size());
    for (const Member& member : members)
      codes.push_back(programs_[member.root]->kernel(kernel.info.name));
    if (codes.front()) kernels_.push_back(std::make_unique<JointKernel>(kernel, std::move(codes), units));
  }
}

const DeviceKernel* JointProgram::kernel(std::string_view name) const noexcept {
  const auto found = std::ranges::find_if(kernels_, [&](const auto& each) { return each->info().name == name; });
  return found == kernels_.end() ? nullptr : found->get();
}

} // namespace clotho::joint
