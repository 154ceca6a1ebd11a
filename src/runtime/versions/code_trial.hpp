// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/tuned_code.hpp"
#include "device/device.hpp"

#include <cstdint>

namespace clotho {

/// Compares two codes of a kernel. Each launch runs one of them at random, so that both meet the same kinds of
/// arguments and the same load of the machine. The tried code never runs many launches ahead of what is known of it.
/// Not safe for several threads at once.
class CodeTrial {
 public:
  CodeTrial() = default;
  ~CodeTrial() { end(); }
  CodeTrial(const CodeTrial&) = delete;
  CodeTrial& operator=(const CodeTrial&) = delete;

  /// Both codes must live until end(). False if the usual code is on trial elsewhere.
  bool begin(const DeviceKernel& usual, const DeviceKernel& tried) noexcept;
  void end() noexcept;
  bool isOn() const { return tried_ != nullptr; }
  const DeviceKernel& tried() const { return *tried_; }
  /// Code for the next launch.
  const DeviceKernel& next() noexcept;

  /// The state of the trial. Logarithms to base 2 of how many times as fast the tried code is; 0 while one of the codes
  /// has not run.
  struct Result {
    double gain = 0, error = 0;
    std::uint32_t least = 0; ///< launches that each of the codes has run at least
    bool isLong = false;     ///< more launches would hardly tell more
    bool areAlike = false;   ///< launches of both had about as many work-items
    TrialFigures figures() const { return {gain, error, least}; }
    bool hasEnough() const { return least >= kLeastSamples; }
    /// Few launches are enough for a difference that is so large.
    bool isDisaster() const { return isLarge(-gain); }
    bool isTriumph() const { return isLarge(gain); }

   private:
    bool isLarge(double difference) const {
      return areAlike && difference > kFewErrors * error &&
             ((least >= 2 && difference > kManyTimes) || (least >= 3 && difference > kTwice));
    }
  };
  Result result() const noexcept;

 private:
  static constexpr std::uint32_t kLeastSamples = 12, kMostSamples = 256;
  /// Launches that end a trial, however few of them were measured.
  static constexpr std::uint32_t kMostLaunches = 8192;
  /// Launches of the tried code that may be under way, at first and when it is known to be no disaster.
  static constexpr std::uint32_t kFirstAhead = 2, kAhead = 16;
  /// Launches of the usual code before the first of what is tried: they show how much launches differ, by their sizes
  /// and by what the kernel is told.
  static constexpr std::uint32_t kFirstUsual = 3;
  /// Launches may leave no sample: they fail, or their sizes need the general code. After so many, one more of the
  /// tried code may be under way.
  static constexpr std::uint32_t kLaunchesForOneLost = 1024;
  static constexpr double kErrors = 2.5;              ///< standard errors that a difference may be off by
  static constexpr double kFewErrors = 2;             ///< times that, since few launches tell little of the error, too
  static constexpr double kTwice = 1, kManyTimes = 2; ///< logarithms to base 2
  static constexpr double kAlike = 4;                 ///< times as many work-items, on average

  const DeviceKernel *usual_ = nullptr, *tried_ = nullptr;
  std::uint32_t chances_ = 0, taken_ = 0; ///< launches so far, and those of the tried code
};

} // namespace clotho
