// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace clotho::joint {

/// Time that a part of a launch has taken.
struct PartTime {
  std::size_t member = 0;
  double items = 0;
  double ns = 0;
};

/// How large a part of a kernel's launches each member gets: at first by its compute units, then by what it has been
/// measured to do. Shares change only when launches would take clearly less time by that, since a boundary that moves
/// makes bytes move. Any thread.
class PartShares {
 public:
  /// `units`: compute units of each member; 0: it cannot run the kernel.
  explicit PartShares(const std::vector<double>& units);

  /// A share for each member, with the sum 1.
  std::vector<double> shares() const EXCLUDES(mutex_);
  /// A launch is over, of which these were the parts. Returns whether that changes any share.
  bool note(std::span<const PartTime> parts) noexcept EXCLUDES(mutex_);

 private:
  /// Sets the shares of measured members to so much of their speeds. Returns whether that changes any.
  bool follow(double sharePerSpeed) noexcept REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<double> shares_ GUARDED_BY(mutex_);
  std::vector<double> speeds_ GUARDED_BY(mutex_);    ///< work-items a ns; 0: not measured
  double launches_ GUARDED_BY(mutex_) = 0;           ///< that were measured
  unsigned uneven_ GUARDED_BY(mutex_) = 0;           ///< launches in a row that other shares would make faster
  unsigned changesSoonAfter_ GUARDED_BY(mutex_) = 0; ///< that may follow the last change for less
};

} // namespace clotho::joint
