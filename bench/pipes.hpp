// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "session.hpp"

#include <vector>

namespace bench {

/// Fills a pipe of `capacity` packets of 16 bytes by one kernel and empties it by another, again and again, and
/// verifies what came. Returns millions of packets a second that were written and read, one a round; a packet counts
/// once.
std::vector<double> timePipe(Session& session, cl_uint capacity, int launches, int rounds);

} // namespace bench
