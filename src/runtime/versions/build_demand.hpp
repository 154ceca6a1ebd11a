// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/code_version.hpp"
#include "device/device.hpp"

#include <atomic>
#include <cstdint>

namespace clotho {

/// Counts the launches for which a version of a kernel could be built, and says when they have shown that the build
/// pays: a kernel that is launched a few times gains nothing by it. Thread-safe.
class BuildDemand {
 public:
  BuildDemand(const DeviceKernel& general, const CodeVersion& version, TargetKind target);

  /// Adds a launch of so many work-items. True if the version is worth its build now.
  bool addLaunch(double items) noexcept;
  /// Overload for a version that knows values of arguments. `base` is the code that the launch runs without it, and
  /// `shared` the demand for the version without values, which counts launches of any values. `base` is null while that
  /// code is not decided, and nothing is built.
  bool addLaunch(BuildDemand& shared, const DeviceKernel* base) noexcept;
  /// Sets how long a build of the kernel takes, in s; 0 if that is unknown.
  void expect(double seconds) noexcept { seconds_.store(seconds, std::memory_order_relaxed); }

 private:
  /// Work-items that take about as long as a build: of general code for images, on a CPU and on a GPU, between
  /// barriers, and in rows that leave its lanes almost empty.
  static constexpr double kItemsWithImages = 1 << 20, kItemsWithImagesOnGpu = 1 << 24, kItemsWithBarriers = 1 << 20,
                          kItemsOfShortRows = 1 << 18;
  static constexpr std::uint32_t kLaunchesWithBarriers = 4;
  /// Launches after which their work-items do not matter: each may do much, and more launches are likely.
  static constexpr std::uint32_t kManyLaunches = 64;
  /// Lanes of general code lie along rows; so few work-items leave almost all of them empty.
  static constexpr std::uint64_t kShortRow = 4;
  /// Processor time in s that launches with the same values take before a build, and their number.
  static constexpr double kTimeWithValues = 0.25;
  static constexpr std::uint32_t kLaunchesWithValues = 8;
  /// Least time of a build, in s: nothing is known of it if a cache or a binary had the result.
  static constexpr double kLeastBuild = 0.05;
  /// Launches take so many times as long as the first build before the rest is built: that takes longer than the first
  /// build, and gains little for many kernels. If the first build took longer than kLongBuild (in s), code that knows
  /// more takes up to four times as long, since loops between barriers are unrolled.
  static constexpr double kTimesFirstBuild = 2, kTimesLongBuild = 4, kLongBuild = 0.4;

  bool isBuildLong() const noexcept { return seconds_.load(std::memory_order_relaxed) > kLongBuild; }
  /// Whether launches since the first one counted have taken long enough for a build.
  bool haveTakenLong() const noexcept;
  /// True if the first build has left code out, and that is worth a build.
  bool isFasterWorthBuilding() const noexcept { return general_.limits().lacksFaster && haveTakenLong(); }

  const DeviceKernel& general_;
  const bool isForAnyLaunch_, hasObjects_, hasShortRows_;
  const double itemsWithImages_;
  const double spentBefore_; ///< by the general code, before these launches
  std::atomic<double> items_{0}, seconds_{0};
  std::atomic<std::uint32_t> launches_{0};
  // Launches with values are counted for one `base_` at a time. `launchesOfBase_` are those with this version's values,
  // `allWithValues_` those with any values, which the shared demand counts. The last two are that count and the time of
  // `base_` from which on it is counted.
  std::atomic<const DeviceKernel*> base_{nullptr};
  std::atomic<std::uint32_t> launchesOfBase_{0}, allWithValues_{0}, allBeforeBase_{0};
  std::atomic<double> spentBeforeBase_{0};
};

} // namespace clotho
