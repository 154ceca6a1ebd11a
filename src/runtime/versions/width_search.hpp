// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/tuned_code.hpp"
#include "runtime/versions/code_trial.hpp"
#include "runtime/versions/loaded_code.hpp"

#include <cstdint>
#include <optional>

namespace clotho {

/// Finds the sub-group width at which a kernel is fastest, by running it: no estimate knows how full masks are, what
/// caches hold, or what a gather takes on this processor. Once launches of a kernel have taken much longer than a build
/// takes, its code at twice the width is built in the background and put on trial (CodeTrial). A width that is clearly
/// faster stays, and the next one in its direction is tried. Otherwise width 1 is tried, and then half of the width. If
/// the compiler expects width 1 to be faster, it comes first. Kernels whose work-items may count on going in step
/// become wider only. Not safe for several threads at once.
class WidthSearch {
 public:
  /// The device's default width, and the widest that is tried.
  WidthSearch(std::uint32_t usualWidth, std::uint32_t widest) : usualWidth_(usualWidth), widest_(widest) {}
  WidthSearch(const WidthSearch&) = delete;
  WidthSearch& operator=(const WidthSearch&) = delete;

  /// Code for a launch; `base` is the code without this search. Another base begins a new search. Without `mayTry` it
  /// is the best so far, for callers that prepare launches and would have to do it anew.
  LoadedCode code(const LoadedCode& base, bool mayTry) noexcept;

  struct Wanted {
    std::uint32_t width, number;
  };
  /// The width for which code is to be built now. Says so once; the caller then calls built() with the number.
  std::optional<Wanted> wanted(const LoadedCode& base) noexcept;
  /// Ends the search. The next call of code() begins a new one.
  void stop() noexcept;
  /// Ends the search. The best code so far stays.
  void settle() noexcept;
  /// Sets how long a build of the kernel takes, in s, for the search that begins next; 0 if that is unknown.
  void expect(double seconds) noexcept { expected_ = seconds; }
  /// Takes the code that was built, or nothing if there is none, and the time of its build in s.
  void built(std::uint32_t number, LoadedCode code, double seconds) noexcept;

  /// Whether nothing is left to try.
  bool isDone() const noexcept { return base_ && state_ == State::Done; }
  /// The width that has won over the base's; 0: none has.
  std::uint32_t winner() const noexcept { return hasWon_ ? best_.kernel->limits().subGroupSize : 0; }
  /// Figures of the trial that it has won last.
  const TrialFigures& figures() const noexcept { return figures_; }

 private:
  enum class State : std::uint8_t {
    Waiting,  ///< until launches have taken long enough
    Building, ///< a caller of wanted() builds the code
    Trying,
    Done
  };
  enum class Way : std::uint8_t { Up, Scalar, Down, None };

  /// Least processor time in s of launches before a build. The first build waits for a multiple of the kernel's own
  /// build, since nothing is known yet of its gain, and each later one for a smaller multiple of the build before it.
  static constexpr double kLeastTime = 0.25, kTimesBuild = 4, kTimesFirstBuild = 10;
  /// Trials that do not begin, because the code is on trial elsewhere, before the search ends.
  static constexpr std::uint32_t kMostRefusals = 4;
  /// Least gain that is worth the change, as a logarithm to base 2.
  static constexpr double kLeastGain = 0.1;
  /// Mean time of a launch, in s, from which on width 1 is not tried: it may take many times as long.
  static constexpr double kLongLaunch = 0.02;

  void begin(const LoadedCode& base) noexcept;
  void judge() noexcept;
  void end(bool wins) noexcept;
  Way after(Way way) const noexcept;
  std::uint32_t nextWidth() const noexcept;
  void goOn() noexcept;
  void waitForNext() noexcept;

  const std::uint32_t usualWidth_, widest_;
  State state_ = State::Waiting;
  LoadedCode base_, best_, tried_; ///< before the trial of these
  std::uint32_t launches_ = 0;     ///< since the search began
  double expected_ = 0;            ///< seconds of a build
  double nextTime_ = 0;            ///< that launches of the best code have taken at the next build
  std::uint32_t number_ = 0;       ///< of the last build
  std::uint32_t refusals_ = 0;
  double before_ = 0; ///< what launches of the base had taken when the search began
  Way way_ = Way::Up;
  bool scalarFirst_ = false;
  double pause_ = kLeastTime; ///< before the next build
  bool hasWon_ = false;
  TrialFigures figures_; ///< of the last trial that was won
  CodeTrial trial_;
};

} // namespace clotho
