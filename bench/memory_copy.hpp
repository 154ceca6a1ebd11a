// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "session.hpp"

#include <vector>

namespace bench {

/// Copies a buffer of `size` bytes to another `rounds` times, each next to the best copy that two threads of the
/// program itself can do between the same pages, and verifies both. Returns the speed of the buffer copy in per cent of
/// the program's, one a round.
std::vector<double> compareCopies(Session& session, std::size_t size, int rounds);

} // namespace bench
