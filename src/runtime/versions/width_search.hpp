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
/// takes, its code at twice the width is built in the background and put on trial (code_trial.hpp). What is clearly
/// faster is kept and the next width in its direction tried; otherwise work-items alone are, and then half of the
/// width. Where the compiler takes it that work-items alone may be faster, they come first. Kernels whose work-items
/// may count on going in step become wider only. Not safe for several threads at once.
class WidthSearch {
 public:
  /// Widths of this device at which code is wanted by default, and most.
  WidthSearch(std::uint32_t usualWidth, std::uint32_t widest) : usualWidth_(usualWidth), widest_(widest) {}
  WidthSearch(const WidthSearch&) = delete;
  WidthSearch& operator=(const WidthSearch&) = delete;

  /// What a launch is to run, where `base` is what there is without this search. Another base begins a new search.
  /// `mayTry` is false for who would have to prepare anew what changes: then it is what is best so far.
  LoadedCode code(const LoadedCode& base, bool mayTry) noexcept;

  struct Wanted {
    std::uint32_t width, number;
  };
  /// The width for which code is to be built now; once, for who then calls built() with the number.
  std::optional<Wanted> wanted(const LoadedCode& base) noexcept;
  /// Ends what goes on. The next launch that asks begins anew.
  void stop() noexcept;
  /// Ends what goes on, and looks no further: what is best so far stays.
  void settle() noexcept;
  /// Sets how long a build of the kernel takes, in s, for the search that begins next; 0 if that is unknown.
  void expect(double seconds) noexcept { expected_ = seconds; }
  /// What became of it: nothing, if there is none.
  void built(std::uint32_t number, LoadedCode code, double seconds) noexcept;

  /// Whether nothing is left to try.
  bool isDone() const noexcept { return base_ && state_ == State::Done; }
  /// The width that has won over the base's, and by how much in its last trial; 0: none has.
  std::uint32_t winner() const noexcept { return hasWon_ ? best_.kernel->limits().subGroupSize : 0; }
  const TrialFigures& figures() const noexcept { return figures_; }

 private:
  enum class State : std::uint8_t {
    Waiting,  ///< until launches have taken long enough
    Building, ///< a caller of wanted() builds the code
    Trying,
    Done
  };
  enum class Way : std::uint8_t { Up, Scalar, Down, None };

  /// Processor time in s of launches before a build, at least. A later one waits for a multiple of what the last took,
  /// the first for more of what the kernel took: nothing is known yet of what it may gain, which is a tenth at times.
  static constexpr double kLeastTime = 0.25, kTimesBuild = 4, kTimesFirstBuild = 10;
  /// Trials that do not begin, since the code is on trial elsewhere.
  static constexpr std::uint32_t kMostRefusals = 4;
  /// What is gained must be worth the change; a logarithm to base 2.
  static constexpr double kLeastGain = 0.1;
  /// Work-items alone may take many times as long; launches that take so many s on average do not try it.
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
