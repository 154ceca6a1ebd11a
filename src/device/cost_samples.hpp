// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace clotho {

/// Mean cost of a kernel's launches: the logarithm to base 2 of the time of a work-item. A launch has the weight of its
/// number of work-items.
struct MeanCost {
  double logarithm = 0; ///< mean
  double variance = 0;  ///< square of its standard error; of a few launches it says little, of one nothing
  double spread = 0;    ///< sum over launches of the work-items, times the square of the distance from the mean
  double items = 0;     ///< work-items of all launches
  std::uint32_t samples = 0;
};

/// Adds up what launches cost. Not safe for several threads at once.
class CostSamples {
 public:
  /// A launch of so many work-items has taken `cost` for each, in any unit.
  void add(double cost, double items) noexcept {
    if (!std::exchange(isWarm_, true)) return; // code and data were not in the caches
    const double w = items, x = std::log2(cost);
    w_ += w;
    ww_ += w * w;
    wx_ += w * x;
    wxx_ += w * x * x;
    wwx_ += w * w * x;
    wwxx_ += w * w * x * x;
    ++count_;
  }
  MeanCost mean() const noexcept {
    if (count_ == 0) return {};
    const double mean = wx_ / w_;
    const double error = wwxx_ - 2 * mean * wwx_ + mean * mean * ww_;
    return {mean, std::max(error, 0.0) / (w_ * w_), std::max(wxx_ - mean * wx_, 0.0), w_, count_};
  }

 private:
  // Sums by work-items w and the logarithm x of what one cost.
  double w_ = 0, ww_ = 0, wx_ = 0, wxx_ = 0, wwx_ = 0, wwxx_ = 0;
  std::uint32_t count_ = 0;
  bool isWarm_ = false;
};

} // namespace clotho
