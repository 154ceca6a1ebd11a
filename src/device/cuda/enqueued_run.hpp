// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/command.hpp"
#include "command/node.hpp"

namespace clotho::cuda {

class EnqueueRunner;

/// Runs a launch of the host of a kernel that may enqueue others, and all that comes of it. Returns the launch's
/// status. The context is current. `node`: the command, or the one that it is a part of.
cl_int runLaunch(EnqueueRunner& runner, Node& node, const Launch& launch) noexcept;

} // namespace clotho::cuda
