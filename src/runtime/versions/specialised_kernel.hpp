// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "compiler/compiler.hpp"
#include "compiler/tuned_code.hpp"
#include "device/device.hpp"
#include "runtime/versions/build_demand.hpp"
#include "runtime/versions/code_trial.hpp"
#include "runtime/versions/loaded_code.hpp"
#include "runtime/versions/width_search.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace clotho {

/// Most versions of a kernel for values of arguments: if there are more values, few launches have the same.
inline constexpr unsigned kMostForValues = 4;

/// A kernel's code for what some launches have in common; or, if that is nothing, the code that the first build has
/// left out (CodeScope::First). General code branches by formats and samplers in every read, write and step. Once
/// launches have taken longer than a build (BuildDemand), a version is built in the background in which what they have
/// in common is known, and put on trial against the general code (CodeTrial). Then the best width of the winner is
/// searched for (WidthSearch). If loops go by values of arguments, there is another version for launches of the same
/// values. What earlier processes have found out (TunedCode) is built at the first launch, and not tried again. Part of
/// the Specialiser, which has it built; lives as long as its program. Thread-safe.
class SpecialisedKernel {
 public:
  /// `withoutValues`: for a version that knows values of arguments, the one for launches of any values; else null.
  /// `known`: what earlier processes have found out, or null.
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
  /// The one whose code launches run: that for any values while there is no code for these.
  SpecialisedKernel& acting() noexcept {
    return knowsValues() && !hasVersion_.load(std::memory_order_acquire) ? *withoutValues_ : *this;
  }

  /// Code that all launches run from now on, with nothing left to try; null before. It lives as long as this.
  const DeviceKernel* settled() const noexcept { return settled_.load(std::memory_order_acquire); }
  /// Code for a launch. Without `mayTry` it is what seems best so far, for callers that prepare launches and would have
  /// to do it anew.
  LoadedCode code(bool mayTry) noexcept EXCLUDES(mutex_);

  // Each of the following three says once that a build is due, and the caller then has it made: by recall(), build()
  // and buildWidth(), which block, hold no lock while the compiler works, and never fail. If there is no code, launches
  // go on as they are. The caller says so if it cannot have the build made: forgo() and forgoWidth().

  /// True if code is known from earlier processes.
  bool wantsRecall() noexcept {
    return wantsRecall_.load(std::memory_order_relaxed) && wantsRecall_.exchange(false, std::memory_order_relaxed);
  }
  /// A launch of so many work-items is enqueued. True if the version is worth its build now.
  bool isWorthBuilding(double items) noexcept;
  /// The width for which code is worth a build now.
  std::optional<WidthSearch::Wanted> wantedWidth() noexcept EXCLUDES(mutex_);

  void recall(const BuildRequest& like) noexcept EXCLUDES(mutex_);
  void build(const BuildRequest& like) noexcept EXCLUDES(mutex_);
  void forgo() noexcept { phase_.store(Phase::Decided, std::memory_order_relaxed); }
  void buildWidth(const BuildRequest& like, WidthSearch::Wanted wanted) noexcept EXCLUDES(mutex_);
  void forgoWidth(WidthSearch::Wanted wanted) noexcept EXCLUDES(mutex_);

  /// Sets how long a build takes, in s.
  void expect(double seconds) noexcept EXCLUDES(mutex_);
  /// News since the last call; mostly none.
  std::optional<TunedCode> takeNews() EXCLUDES(mutex_);

 private:
  enum class Phase : std::uint8_t {
    Open,    ///< launches are counted until they are worth a build
    Asked,   ///< the version is being built or on trial
    Decided, ///< launches run it, or there will never be one
  };

  /// The loss of a version, as a logarithm to base 2, behind which the general code is run again.
  static constexpr double kLeastLoss = 0.1;

  LoadedCode ofUsualWidth() const noexcept REQUIRES(mutex_) { return special_ ? special_ : without(); }
  /// The code that launches run without a version.
  LoadedCode without() const noexcept {
    return knowsValues() ? withoutValues_->code(/*mayTry=*/false) : LoadedCode{&general_};
  }
  void install(LoadedCode special) noexcept EXCLUDES(mutex_);
  void judgeTrial() noexcept REQUIRES(mutex_);
  void settle(LoadedCode code) noexcept REQUIRES(mutex_);
  void settleWidths() noexcept EXCLUDES(mutex_);
  Phase phase() const noexcept { return phase_.load(std::memory_order_relaxed); }
  /// There is a version, or there will never be one.
  bool isFinal() const noexcept { return !mayHaveVersion_ || phase() == Phase::Decided; }
  /// No version is being built or on trial, and none will be soon.
  bool isDecided() const noexcept {
    return phase() == Phase::Decided || (phase() == Phase::Open && !general_.limits().lacksFaster);
  }
  /// Nothing if there is no such code, or none that the general code's launches could run.
  LoadedCode load(const BuildRequest& like, const CodeVersion& version, std::uint32_t width) noexcept;
  LoadedCode loadOrThrow(const BuildRequest& like, const CodeVersion& version);

  Device& device_;
  const DeviceKernel& general_;
  const CodeVersion version_; // of the usual width
  const bool mayHaveVersion_, searchesWidth_;
  SpecialisedKernel* const withoutValues_;
  std::array<std::atomic<const SpecialisedKernel*>, kMostForValues> forValues_{};
  std::atomic<bool> isForOtherValues_{false};
  BuildDemand demand_;
  std::atomic<Phase> phase_{Phase::Open};
  std::atomic<bool> hasVersion_{false}, wantsRecall_{false}, hasNews_{false};
  std::atomic<const DeviceKernel*> settled_{nullptr};
  mutable Mutex mutex_; ///< taken before that of `withoutValues_`
  TunedCode found_ GUARDED_BY(mutex_);
  LoadedCode settledCode_ GUARDED_BY(mutex_), special_ GUARDED_BY(mutex_),
      usual_ GUARDED_BY(mutex_); // before the trial
  CodeTrial trial_ GUARDED_BY(mutex_);
  WidthSearch widths_ GUARDED_BY(mutex_);
};

} // namespace clotho
