// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "session.hpp"

#include <cstddef>
#include <vector>

namespace bench {

/// Who copies a rectangular region: three OpenCL calls, and a loop of the program's own that calls memcpy for each row.
enum class RectCopy : unsigned char { Write, Copy, Read, Loop };

/// Copies regions of two and of three dimensions, `size` bytes each in rows of `rowBytes`, `rounds` times, each next to
/// one memcpy of as many bytes, by one thread between the same pages, and verifies what arrived and that nothing
/// between the rows changed. Returns the speed in per cent of memcpy's, that of the slower of the two regions, one a
/// round.
std::vector<double> compareRects(Session& session, RectCopy how, std::size_t rowBytes, std::size_t size, int rounds);

} // namespace bench
