// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "session.hpp"

#include <vector>

namespace bench {

enum class ChildKernels {
  Chain, ///< each enqueues the next
  Many,  ///< some enqueue all of the others, 64 each
};

/// Has a kernel enqueue so many others of one work-item, `rounds` times. Returns the us from the launch to the end of
/// clFinish, divided by their number, one a round; verifies that all have run. Throws where the device has no queue for
/// it.
std::vector<double> timeChildKernels(Session& session, ChildKernels how, int children, int rounds);

} // namespace bench
