// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "session.hpp"

#include <vector>

namespace bench {

/// Enqueues `commands` empty kernels in an out-of-order queue, each with a wait list of none to three random earlier
/// ones, `rounds` times. Returns the us from the first call to the end of clFinish, divided by their number, one a
/// round; verifies that every command ended well and, with profiling on, that none began before what it waits for
/// ended.
std::vector<double> timeRandomGraphs(Session& session, int commands, int rounds);

} // namespace bench
