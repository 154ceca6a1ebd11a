// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "session.hpp"

#include <vector>

namespace bench {

enum class ImageTransfer : unsigned char { Write, Read, Copy, Fill };

/// Moves a whole two-dimensional image of RGBA with 8 bits `rounds` times, each next to the best copy of as many bytes
/// that two threads of the program itself can do between the same pages, and verifies both. Returns the speed of the
/// transfer in per cent of the program's copy, one a round.
std::vector<double> compareImageTransfers(Session& session, ImageTransfer how, std::size_t width, std::size_t height,
                                          int rounds);

} // namespace bench
