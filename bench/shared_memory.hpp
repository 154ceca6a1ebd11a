// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "session.hpp"

#include <vector>

namespace bench {

/// Kernels whose arguments are pointers into shared virtual memory, next to the same kernels on buffers.
enum class SharedKernel : unsigned char {
  Triad,  ///< streams through memory
  Tiles,  ///< stages tiles in local memory, which is left out where arguments are apart
  Launch, ///< 64 work-items: what an address costs as an argument
};

/// Runs both in turn, `rounds` times, and verifies what comes out. The speed on pointers in per cent of that on
/// buffers, one a round.
std::vector<double> compareShared(Session& session, SharedKernel which, std::size_t size, int rounds);

} // namespace bench
