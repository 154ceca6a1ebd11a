// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/versions/code_trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clotho {

namespace {

/// One random bit for each number, so that no pattern of an application's launches goes with it (the last step of
/// MurmurHash3 mixes all bits).
bool isHeads(std::uint32_t number) {
  number += 0x9e3779b9U;
  number = (number ^ number >> 16) * 0x85ebca6bU;
  number = (number ^ number >> 13) * 0xc2b2ae35U;
  return (number >> 31) != 0;
}

/// Variance of the difference of two means. What few launches of each say of it is put together: the codes are run by
/// chance, so that their launches vary alike. Infinite where there is one launch of each.
double varianceOf(const MeanCost& a, const MeanCost& b) {
  if (a.samples + b.samples <= 2) return std::numeric_limits<double>::infinity();
  const double together = (a.spread + b.spread) / (a.samples + b.samples - 2) * (1 / a.items + 1 / b.items);
  return std::max(a.variance + b.variance, together);
}

} // namespace

bool CodeTrial::begin(const DeviceKernel& usual, const DeviceKernel& tried) noexcept {
  if (!usual.measure(this)) return false;
  tried.measure(this);
  usual_ = &usual;
  tried_ = &tried;
  chances_ = taken_ = 0;
  return true;
}

void CodeTrial::end() noexcept {
  if (!isOn()) return;
  usual_->endMeasuring(this);
  tried_->endMeasuring(this);
  tried_ = nullptr;
}

const DeviceKernel& CodeTrial::next() noexcept {
  const std::uint32_t known = tried_->meanCost().samples, lost = chances_ / kLaunchesForOneLost;
  const bool isUsualKnown = lost != 0 || usual_->meanCost().samples >= kFirstUsual;
  const std::uint32_t ahead = lost + (known < kFirstAhead ? kFirstAhead : kAhead);
  if (!isHeads(chances_++) || !isUsualKnown || taken_ >= known + ahead) return *usual_;
  ++taken_;
  return *tried_;
}

CodeTrial::Result CodeTrial::result() const noexcept {
  const MeanCost before = usual_->meanCost(), now = tried_->meanCost();
  Result result;
  result.least = std::min(before.samples, now.samples);
  result.isLong = result.least >= kMostSamples || std::max(before.samples, now.samples) >= 4 * kMostSamples ||
                  chances_ >= kMostLaunches;
  if (result.least == 0) return result;
  result.gain = before.logarithm - now.logarithm;
  result.error = kErrors * std::sqrt(varianceOf(before, now));
  const double sizes = before.items / before.samples * now.samples / now.items;
  result.areAlike = sizes < kAlike && sizes > 1 / kAlike;
  return result;
}

} // namespace clotho
