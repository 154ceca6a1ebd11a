// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/joint/part_shares.hpp"

#include <algorithm>
#include <numeric>

namespace clotho::joint {

namespace {

/// Parts that take longer than this many times another one are of different length.
constexpr double kUneven = 1.25;
/// So many launches of this kind in a row change the shares.
constexpr unsigned kLaunches = 4;
/// Weight of the newest launch in a member's speed.
constexpr double kNewest = 0.3;
/// The least share of a member: with none it would never be measured again.
constexpr double kLeast = 1.0 / 32;
/// The time of shorter parts, in ns, is mostly that of starting them.
constexpr double kShortest = 50'000;

void normalise(std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (sum <= 0) return;
  for (double& share : shares)
    share /= sum;
}

} // namespace

PartShares::PartShares(const std::vector<double>& units) : shares_(units), speeds_(units.size()) {
  MutexLock lock(mutex_); // for its annotations
  normalise(shares_);
}

std::vector<double> PartShares::shares() const {
  MutexLock lock(mutex_);
  return shares_;
}

bool PartShares::note(std::span<const PartTime> parts) noexcept {
  if (parts.size() < 2) return false;
  const auto [shortest, longest] = std::ranges::minmax(parts, {}, &PartTime::ns);
  if (shortest.ns <= 0 || longest.ns < kShortest) return false;
  MutexLock lock(mutex_);
  for (const PartTime& part : parts) {
    double& speed = speeds_[part.member];
    const double now = part.items / part.ns;
    speed = speed == 0 ? now : (1 - kNewest) * speed + kNewest * now;
  }
  uneven_ = longest.ns > kUneven * shortest.ns ? uneven_ + 1 : 0;
  if (uneven_ < kLaunches) return false;
  uneven_ = 0;
  // Members that no launch has measured keep their share.
  double measured = 0, speed = 0;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    if (speeds_[i] == 0) continue;
    measured += shares_[i];
    speed += speeds_[i];
  }
  for (std::size_t i = 0; i < shares_.size(); ++i)
    if (speeds_[i] != 0) shares_[i] = std::max(measured * speeds_[i] / speed, kLeast);
  normalise(shares_);
  return true;
}

} // namespace clotho::joint
