// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/tuned_code.hpp"
#include "device/device.hpp"

#include <cstdint>

namespace clotho {

/// Two codes of a kernel that launches run by chance, the one or the other, so that both meet the same kinds of
/// arguments and the same load of the machine. What is tried is never many launches ahead of what is known of it.
/// Not safe for several threads at once.
class CodeTrial {
 public:
  CodeTrial() = default;
  ~CodeTrial() { end(); }
  CodeTrial(const CodeTrial&) = delete;
  CodeTrial& operator=(const CodeTrial&) = delete;

  /// Both must live until the end. False where the usual code is on trial elsewhere.
  bool begin(const DeviceKernel& usual, const DeviceKernel& tried) noexcept;
  void end() noexcept;
  bool isOn() const { return tried_ != nullptr; }
  const DeviceKernel& tried() const { return *tried_; }
  /// What a launch is to run.
  const DeviceKernel& next() noexcept;

  /// What is known so far. Logarithms to base 2 of how many times as fast the tried code is; 0 while one of the codes
  /// has not run.
  struct Result {
    double gain = 0, error = 0;
    std::uint32_t least = 0; ///< launches of which both have run at least
    bool isLong = false;     ///< it need not go on
    TrialFigures figures() const { return {gain, error, least}; }
    bool hasEnough() const { return least >= kLeastSamples; }
    /// Few launches say enough of a difference that is so large.
    bool isDisaster() const { return isLarge(-gain); }
    bool isTriumph() const { return isLarge(gain); }

   private:
    bool isLarge(double difference) const {
      return difference > error && ((least >= 1 && difference > kManyTimes) || (least >= 3 && difference > kTwice));
    }
  };
  Result result() const noexcept;

 private:
  static constexpr std::uint32_t kLeastSamples = 12, kMostSamples = 256;
  /// So many launches end a trial that some condition keeps from being one.
  static constexpr std::uint32_t kMostLaunches = 8192;
  /// Launches of what is tried that may be under way, at first and when it is known to be no disaster.
  static constexpr std::uint32_t kFirstAhead = 2, kAhead = 16;
  /// Launches of the usual code before the first of what is tried: they show how much launches differ, by their sizes
  /// and by what the kernel is told.
  static constexpr std::uint32_t kFirstUsual = 3;
  /// Launches may leave no sample: they fail, or go back to the general code for their sizes. So many make up for one.
  static constexpr std::uint32_t kLaunchesForOneLost = 1024;
  static constexpr double kErrors = 2.5, kTwice = 1, kManyTimes = 2;

  const DeviceKernel *usual_ = nullptr, *tried_ = nullptr;
  std::uint32_t chances_ = 0, taken_ = 0; ///< launches so far, and those of what is tried
};

} // namespace clotho
