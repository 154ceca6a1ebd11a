// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/versions/build_demand.hpp"

#include "command/nd_range.hpp"

#include <algorithm>

namespace clotho {

namespace {

/// Length in work-items of the rows of work-groups as the code counts them.
std::uint64_t rowOf(const DeviceKernel& code, const CodeVersion::LocalSize& local) {
  NDRange group;
  group.local = {local.size[0], local.size[1], local.size[2]};
  group.global = group.local;
  code.toCode(group, nullptr);
  return group.local[0];
}

} // namespace

BuildDemand::BuildDemand(const DeviceKernel& general, const CodeVersion& version, TargetKind target)
    : general_(general), isForAnyLaunch_(version.isForAnyLaunch()),
      hasObjects_(!version.withoutIntegers().arguments.empty()),
      hasShortRows_(version.local && rowOf(general, *version.local) <= kShortRow),
      itemsWithImages_(target == TargetKind::Cpu ? kItemsWithImages : kItemsWithImagesOnGpu),
      spentBefore_(general.spent()) {}

bool BuildDemand::haveTakenLong() const noexcept {
  const double times = isBuildLong() ? kTimesLongBuild : kTimesFirstBuild;
  return general_.spent() - spentBefore_ >= std::max(times * seconds_.load(std::memory_order_relaxed), kLeastBuild);
}

bool BuildDemand::addLaunch(double items) noexcept {
  const double all = items_.fetch_add(items, std::memory_order_relaxed) + items;
  const std::uint32_t launches = launches_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (isFasterWorthBuilding()) return true;
  if (isForAnyLaunch_) return false;
  if (hasObjects_) return all >= itemsWithImages_;
  if (hasShortRows_) return all >= kItemsOfShortRows;
  if (isBuildLong()) return haveTakenLong();
  return launches >= kManyLaunches || (all >= kItemsWithBarriers && launches >= kLaunchesWithBarriers);
}

/// Launches of several values share the code without, so that its time is theirs in proportion to their numbers.
bool BuildDemand::addLaunch(BuildDemand& shared, const DeviceKernel* base) noexcept {
  const std::uint32_t all = shared.allWithValues_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (base == nullptr) return false;
  if (base_.exchange(base, std::memory_order_relaxed) != base) {
    launchesOfBase_.store(0, std::memory_order_relaxed);
    allBeforeBase_.store(all, std::memory_order_relaxed);
    spentBeforeBase_.store(base->spent(), std::memory_order_relaxed);
    return false;
  }
  const std::uint32_t own = launchesOfBase_.fetch_add(1, std::memory_order_relaxed) + 1;
  const double share = double(own) / std::max(all - allBeforeBase_.load(std::memory_order_relaxed), 1U);
  return own >= kLaunchesWithValues &&
         share * (base->spent() - spentBeforeBase_.load(std::memory_order_relaxed)) >= kTimeWithValues;
}

} // namespace clotho
