// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/joint/part_shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace clotho::joint {

namespace {

/// Shares change if launches take so many times longer than they would with others, by the members' speeds. After a
/// change less suffices a few times, since the speeds are known better by then. Single launches say little on machines
/// that have other work.
constexpr double kWorthwhile = 1.2, kWorthwhileSoonAfter = 1.08;
constexpr unsigned kChangesSoonAfter = 4;
/// So many launches of this kind in a row change the shares.
constexpr unsigned kLaunches = 4;
/// Weight of the newest launch in a member's speed. Before there were so many launches, each weighs as much.
constexpr double kNewest = 0.1;
/// The least share of a member, or a quarter of an equal one if that is less: with none it would never be measured
/// again.
constexpr double kLeast = 1.0 / 32, kLeastOfEqual = 1.0 / 4;
/// Smaller differences of a share are no change.
constexpr double kSmallest = 0.001;
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
  const double weight = std::max(kNewest, 1.0 / ++launches_);
  for (const PartTime& part : parts) {
    double& speed = speeds_[part.member];
    const double now = part.items / part.ns;
    speed = speed == 0 ? now : (1 - weight) * speed + weight * now;
  }
  // Members that no launch has measured keep their share.
  double measured = 0, speed = 0, slowest = 0;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    if (speeds_[i] == 0) continue;
    measured += shares_[i];
    speed += speeds_[i];
    slowest = std::max(slowest, shares_[i] / speeds_[i]);
  }
  const double worthwhile = changesSoonAfter_ > 0 ? kWorthwhileSoonAfter : kWorthwhile;
  uneven_ = slowest * speed > worthwhile * measured ? uneven_ + 1 : 0;
  if (uneven_ < kLaunches) return false;
  uneven_ = 0;
  changesSoonAfter_ = changesSoonAfter_ > 0 ? changesSoonAfter_ - 1 : kChangesSoonAfter;
  return follow(measured / speed);
}

bool PartShares::follow(double sharePerSpeed) noexcept {
  const double least = std::min(kLeast, kLeastOfEqual / static_cast<double>(shares_.size()));
  const auto wanted = [&](std::size_t i) REQUIRES(mutex_) {
    return speeds_[i] == 0 ? shares_[i] : std::max(sharePerSpeed * speeds_[i], least);
  };
  double sum = 0;
  for (std::size_t i = 0; i < shares_.size(); ++i)
    sum += wanted(i);
  bool isChanged = false;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const double share = wanted(i) / sum;
    isChanged |= std::abs(share - shares_[i]) > kSmallest;
    shares_[i] = share;
  }
  return isChanged;
}

} // namespace clotho::joint
