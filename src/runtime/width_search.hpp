// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "device/device.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace clotho {

/// Finds the sub-group width at which a kernel is fastest, by running it: no estimate knows how full masks are, what
/// caches hold, or what a gather takes on this processor. Once launches of a kernel have taken much longer than a build
/// takes, its code at twice the width is built in the background and put on trial. During a trial every launch runs
/// either what was best so far or what is tried, by chance, so that both meet the same arguments and the same load of
/// the machine. What is clearly faster is kept and the next width in its direction tried; otherwise work-items alone
/// are, and then half of the width.
class WidthSearch {
 public:
  /// Widths of this device at which code is wanted by default, and most.
  WidthSearch(std::uint32_t usualWidth, std::uint32_t widest) : usualWidth_(usualWidth), widest_(widest) {}

  /// What a launch is to run, where `base` is what there is without this search. Another base begins a new search.
  /// `mayTry` is false for who would have to prepare anew what changes: then it is what is best so far.
  const DeviceKernel& code(const DeviceKernel& base, bool mayTry) noexcept;

  /// The width for which code is to be built now; true once, for who then calls built() with it.
  std::optional<std::uint32_t> wanted(const DeviceKernel& base) noexcept;
  /// What became of it: nothing, if there is none.
  void built(std::shared_ptr<DeviceProgram> program, const DeviceKernel* code, double seconds) noexcept;

 private:
  enum class State : std::uint8_t {
    Waiting,  ///< until launches have taken long enough
    Building, ///< somebody has been told
    Trying,
    Done
  };
  enum class Way : std::uint8_t { Up, Scalar, Down, None };

  /// Processor time in s of launches before a build, at first; each build costs a multiple of what it takes.
  static constexpr double kFirstTime = 0.25, kTimesBuild = 4;
  /// Parts of launches that both of a trial have run at least, and at most before it is given up.
  static constexpr std::uint32_t kLeastSamples = 16, kMostSamples = 256;
  /// Of a tried kernel that some condition keeps from running.
  static constexpr std::uint32_t kMostLaunches = 4096;
  /// Logarithms to base 2: what is gained must be worth the change.
  static constexpr double kLeastGain = 0.1, kErrors = 2.5;

  void begin(const DeviceKernel& base) noexcept REQUIRES(mutex_);
  void judge() noexcept REQUIRES(mutex_);
  void end(bool wins) noexcept REQUIRES(mutex_);
  static Way after(Way way) noexcept;
  std::uint32_t nextWidth() const noexcept REQUIRES(mutex_);
  void goOn() noexcept REQUIRES(mutex_);

  const std::uint32_t usualWidth_, widest_;
  std::atomic<State> state_{State::Waiting};
  std::atomic<const DeviceKernel*> base_{nullptr}, best_{nullptr}, tried_{nullptr};
  std::atomic<std::uint32_t> launches_{0}; ///< of the trial
  std::atomic<double> nextTime_{0};        ///< that launches of the best code have taken at the next build

  Mutex mutex_;
  Way way_ GUARDED_BY(mutex_) = Way::Up;
  double pause_ GUARDED_BY(mutex_) = kFirstTime; ///< from a trial to the next build
  bool hasWon_ GUARDED_BY(mutex_) = false;
  const DeviceKernel* buildsFor_ GUARDED_BY(mutex_) = nullptr;
  std::vector<std::shared_ptr<DeviceProgram>> programs_ GUARDED_BY(mutex_); ///< launches may still run what lost
};

} // namespace clotho
