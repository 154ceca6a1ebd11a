// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/object.hpp"
#include "compiler/compiler.hpp"
#include "device/device.hpp"
#include "runtime/code_trial.hpp"
#include "runtime/width_search.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace clotho {

class Program;

/// Values of options().specialise from which on there are such versions, and from which on launches wait for them.
inline constexpr std::uint64_t kInBackground = 1, kAtOnce = 2;

/// How much code there is before launches have shown what is worth a build.
CodeScope firstScope() noexcept;

/// Versions of a kernel for values of arguments. Where there are more values, few launches have the same.
inline constexpr unsigned kMostForValues = 4;

/// Whether the code asks for versions for values of this argument.
bool wantsValue(const DeviceKernel& code, std::size_t argument);

/// A kernel's code for the formats and samplers of some launches, and, where it has barriers, for their local size, or
/// for rows; or, where nothing is known, the code that the first build has left out (CodeScope::First). The code that
/// is built at first branches by them in every read, write and step; once launches have taken longer than a build
/// takes, a version is built in the background in which they are known, and later launches run that. Where loops go by
/// values of arguments, there is another version for launches of the same values, once such launches have taken much
/// longer than a build. Lives as long as its program.
class SpecialisedKernel {
 public:
  /// `withoutValues`: null, or the one for launches of any values of arguments, for one that knows them.
  SpecialisedKernel(Device& device, const DeviceKernel& general, CodeVersion version, SpecialisedKernel* withoutValues);

  bool isFor(const Device& device, const DeviceKernel& general, const CodeVersion& version) const {
    return &device_ == &device && &general_ == &general && version_ == version;
  }
  bool isFor(const CodeVersion& version) const;
  bool isOf(const DeviceKernel& general) const { return &general_ == &general; }
  bool knowsValues() const { return withoutValues_ != nullptr; }
  /// Another version is for values, beside this one for any.
  void addForValues(const SpecialisedKernel& other) noexcept;
  /// There will be no more versions for values than there are.
  void serveOtherValues() noexcept { isForOtherValues_.store(true, std::memory_order_release); }
  /// The one whose code launches run: while there is none for the values, that for any.
  SpecialisedKernel& acting() noexcept {
    return withoutValues_ != nullptr && special_.load(std::memory_order_acquire) == nullptr ? *withoutValues_ : *this;
  }
  /// What a launch is to run: the version, if there is one yet. At first it is on trial (code_trial.hpp): where it
  /// takes longer than the general code, that is run again from then on. Then its width is searched for
  /// (width_search.hpp). `mayTry` is false for who would have to prepare anew what changes: then it is what seems best.
  const DeviceKernel& code(bool mayTry = true) noexcept {
    if (SpecialisedKernel& other = acting(); &other != this) return other.code(mayTry);
    if (isOnTrial_.load(std::memory_order_acquire)) return ofTrial(mayTry);
    return isSettled() ? widths_.code(ofUsualWidth(), mayTry) : ofUsualWidth();
  }
  /// A launch of so many work-items is enqueued. True once: for who then has a version built.
  bool isWorthBuilding(double items) noexcept;
  /// Blocks, holds no lock, and never fails: then launches go on as they are.
  void build(const BuildRequest& like) noexcept;
  /// It will not be built.
  void forgo() noexcept { isTried_.store(true, std::memory_order_relaxed); }
  /// The width for which code is worth a build now. Once for each: for who then has it built.
  std::optional<WidthSearch::Wanted> wantedWidth() noexcept {
    return isSettled() ? widths_.wanted(ofUsualWidth()) : std::nullopt;
  }
  /// How long a build takes, in s.
  void expect(double seconds) noexcept {
    seconds_.store(seconds, std::memory_order_relaxed);
    widths_.expect(seconds);
    if (withoutValues_ != nullptr) withoutValues_->widths_.expect(seconds);
  }
  /// As build().
  void buildWidth(const BuildRequest& like, WidthSearch::Wanted wanted) noexcept;
  /// It will not be built.
  void forgoWidth(WidthSearch::Wanted wanted) noexcept { widths_.built(wanted.number, nullptr, nullptr, 0); }

 private:
  /// General code for a million texels takes as long as a build, as does general code between barriers for as many
  /// work-items. Who launches a kernel a few times only gains nothing by a build.
  static constexpr double kItemsWithImages = 1 << 20, kItemsWithBarriers = 1 << 20, kItemsOfShortRows = 1 << 18;
  static constexpr std::uint32_t kLaunchesWithBarriers = 4;
  /// Work-items may do much each; and who comes so often will come again.
  static constexpr std::uint32_t kManyLaunches = 64;
  /// Lanes of general code lie along rows, which so few work-items leave almost empty.
  static constexpr std::uint64_t kShortRow = 4;
  /// Processor time in s that launches with the same values take before a build.
  static constexpr double kTimeWithValues = 0.25;
  static constexpr std::uint32_t kLaunchesWithValues = 8;
  /// How long a build takes at least, in s, also where nothing is known of it, since a cache or a binary had its
  /// result.
  static constexpr double kLeastBuild = 0.05;
  /// Launches take so many times as long as the first build before the rest is built: that takes longer than the first
  /// build, and gains little for many kernels.
  static constexpr double kTimesFirstBuild = 2;
  /// What a version loses, as a logarithm to base 2, before the general code is run again.
  static constexpr double kLeastLoss = 0.1;

  const DeviceKernel& ofUsualWidth() const noexcept {
    const DeviceKernel* special = special_.load(std::memory_order_acquire);
    return special != nullptr ? *special : without();
  }
  /// What launches run without a version.
  const DeviceKernel& without() const noexcept {
    return withoutValues_ != nullptr ? withoutValues_->code(/*mayTry=*/false) : general_;
  }
  bool areValuesWorthBuilding() noexcept;
  /// Code that was left out may be faster, and since the first such launch the kernel has run long enough for its
  /// build.
  bool isFasterWorthBuilding() const noexcept;
  const DeviceKernel& ofTrial(bool mayTry) noexcept EXCLUDES(mutex_);
  void startTrial(const DeviceKernel& special) noexcept EXCLUDES(mutex_);
  /// Whether it is known what there is but for its width, which may be searched for.
  bool isSettled() const noexcept { return searchesWidth_ && isDecided(); }
  /// No version is being built or on trial, and none will be soon.
  bool isDecided() const noexcept {
    return isTried_.load(std::memory_order_relaxed) ||
           (!general_.limits().lacksFaster && !isAsked_.load(std::memory_order_relaxed));
  }
  /// Null where there is none, or none that the general code's launches could run.
  const DeviceKernel* load(const BuildRequest& request, std::shared_ptr<DeviceProgram>& program);

  Device& device_;
  const DeviceKernel& general_;
  const CodeVersion version_; // of the usual width
  const bool hasVersion_, hasObjects_, hasShortRows_, searchesWidth_;
  SpecialisedKernel* const withoutValues_;
  std::array<std::atomic<const SpecialisedKernel*>, kMostForValues> forValues_{};
  std::atomic<bool> isForOtherValues_{false};
  // Launches with values are counted while `base_`, the code without values, runs them: `launchesOfBase_` those with
  // this version's values, `allOfBase_` those with any. `allBefore_` and `spentBefore_` are that count and the time of
  // `base_` when it was noted.
  std::atomic<const DeviceKernel*> base_{nullptr};
  std::atomic<std::uint32_t> launchesOfBase_{0}, allOfBase_{0}, allBefore_{0};
  std::atomic<double> spentBefore_{0};
  std::atomic<double> items_{0}, seconds_{0};
  const double spentAtFirst_; ///< by the general code
  std::atomic<std::uint32_t> launches_{0};
  std::atomic<bool> isAsked_{false};
  std::shared_ptr<DeviceProgram> program_; // before special_
  std::atomic<const DeviceKernel*> special_{nullptr};
  std::atomic<bool> isOnTrial_{false}, isTried_{false};
  Mutex mutex_;
  CodeTrial trial_ GUARDED_BY(mutex_);
  WidthSearch widths_;
};

} // namespace clotho
