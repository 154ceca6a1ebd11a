// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace bench {

/// Only before the process has used OpenCL: each figure is of children of its own. The time of a launch of some
/// milliseconds on a joint device of two shares of the CPU, with one processor each, in percent of its time on one of
/// one share; the least of `launches` launches each.
std::vector<double> timeOfSplitLaunches(int launches, int rounds);

} // namespace bench
