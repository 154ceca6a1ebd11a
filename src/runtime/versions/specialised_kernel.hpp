// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "compiler/compiler.hpp"
#include "compiler/tuned_code.hpp"
#include "device/device.hpp"
#include "runtime/versions/code_trial.hpp"
#include "runtime/versions/loaded_code.hpp"
#include "runtime/versions/width_search.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace clotho {

/// Values of options().specialise from which on there are such versions, and from which on launches wait for them.
inline constexpr std::uint64_t kInBackground = 1, kAtOnce = 2;

/// How much code there is before launches have shown what is worth a build.
CodeScope firstScope() noexcept;

/// Versions of a kernel for values of arguments. Where there are more values, few launches have the same.
inline constexpr unsigned kMostForValues = 4;

/// Whether the code asks for versions for values of this argument.
bool wantsValue(const DeviceKernel& code, std::size_t argument);

/// A kernel's code for what some launches have in common; or, where that is nothing, the code that the first build has
/// left out (CodeScope::First). General code branches by formats and samplers in every read, write and step; once
/// launches have taken longer than a build takes, a version is built in the background in which what they have in
/// common is known, and later launches run that. Where loops go by values of arguments, there is another version for
/// launches of the same values, once such launches have taken much longer than a build. What earlier processes have
/// found out (TunedCode) is built at the first launch, and not tried again. Part of the Specialiser, which has it
/// built; lives as long as its program.
class SpecialisedKernel {
 public:
  /// `withoutValues`: null, or the one for launches of any values of arguments, for one that knows them. `known`: what
  /// is known from earlier processes, or null.
  SpecialisedKernel(Device& device, const DeviceKernel& general, CodeVersion version, SpecialisedKernel* withoutValues,
                    const TunedCode* known);

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
    return withoutValues_ != nullptr && !hasVersion_.load(std::memory_order_acquire) ? *withoutValues_ : *this;
  }
  /// What all launches run from now on, with nothing left to try; null before. It lives as long as this.
  const DeviceKernel* settled() const noexcept { return settled_.load(std::memory_order_acquire); }
  /// What a launch is to run: the version, if there is one yet. At first it is on trial (code_trial.hpp): where it
  /// takes longer than the general code, that is run again from then on. Then its width is searched for
  /// (width_search.hpp). `mayTry` is false for who would have to prepare anew what changes: then it is what seems best.
  LoadedCode code(bool mayTry) noexcept EXCLUDES(mutex_);

  /// True once, where code is known from earlier processes: for who then calls recall().
  bool wantsRecall() noexcept {
    return wantsRecall_.load(std::memory_order_relaxed) && wantsRecall_.exchange(false, std::memory_order_relaxed);
  }
  /// Builds what is known to be best. Blocks, and never fails: then all is tried as if nothing were known.
  void recall(const BuildRequest& like) noexcept EXCLUDES(mutex_);
  /// A launch of so many work-items is enqueued. True once: for who then has a version built.
  bool isWorthBuilding(double items) noexcept;
  /// Blocks, holds no lock, and never fails: then launches go on as they are.
  void build(const BuildRequest& like) noexcept EXCLUDES(mutex_);
  /// It will not be built.
  void forgo() noexcept { isTried_.store(true, std::memory_order_relaxed); }
  /// The width for which code is worth a build now. Once for each: for who then has it built.
  std::optional<WidthSearch::Wanted> wantedWidth() noexcept EXCLUDES(mutex_);
  /// As build().
  void buildWidth(const BuildRequest& like, WidthSearch::Wanted wanted) noexcept EXCLUDES(mutex_);
  /// It will not be built.
  void forgoWidth(WidthSearch::Wanted wanted) noexcept EXCLUDES(mutex_);
  /// How long a build takes, in s.
  void expect(double seconds) noexcept EXCLUDES(mutex_);
  /// What has been found out since the last call; nothing most times.
  std::optional<TunedCode> takeNews() EXCLUDES(mutex_);

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

  LoadedCode ofUsualWidth() const noexcept REQUIRES(mutex_) { return special_ ? special_ : without(); }
  /// What launches run without a version.
  LoadedCode without() const noexcept {
    return withoutValues_ != nullptr ? withoutValues_->code(/*mayTry=*/false) : LoadedCode{&general_};
  }
  bool areValuesWorthBuilding() noexcept;
  /// Code that was left out may be faster, and since the first such launch the kernel has run long enough for its
  /// build.
  bool isFasterWorthBuilding() const noexcept;
  void install(LoadedCode special) noexcept EXCLUDES(mutex_);
  void judgeTrial() noexcept REQUIRES(mutex_);
  void settle(LoadedCode code) noexcept REQUIRES(mutex_);
  void settleWidths() noexcept EXCLUDES(mutex_);
  /// There is a version, or there will never be one.
  bool isFinal() const noexcept { return !mayHaveVersion_ || isTried_.load(std::memory_order_relaxed); }
  /// No version is being built or on trial, and none will be soon.
  bool isDecided() const noexcept {
    return isTried_.load(std::memory_order_relaxed) ||
           (!general_.limits().lacksFaster && !isAsked_.load(std::memory_order_relaxed));
  }
  /// Nothing where there is none, or none that the general code's launches could run.
  LoadedCode load(const BuildRequest& like, const CodeVersion& version);

  Device& device_;
  const DeviceKernel& general_;
  const CodeVersion version_; // of the usual width
  const bool mayHaveVersion_, hasObjects_, hasShortRows_, searchesWidth_;
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
  std::atomic<bool> isAsked_{false}, isTried_{false}, hasVersion_{false}, wantsRecall_{false}, hasNews_{false};
  std::atomic<const DeviceKernel*> settled_{nullptr};
  mutable Mutex mutex_; ///< taken before that of `withoutValues_`
  TunedCode found_ GUARDED_BY(mutex_);
  LoadedCode settledCode_ GUARDED_BY(mutex_), special_ GUARDED_BY(mutex_),
      usual_ GUARDED_BY(mutex_); // before the trial
  CodeTrial trial_ GUARDED_BY(mutex_);
  WidthSearch widths_ GUARDED_BY(mutex_);
};

} // namespace clotho
