// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/messages.hpp"
#include "command/command.hpp"

namespace clotho::cluster {

/// The work of a node for a command that it runs by itself: a launch, a fill, a copy on the device, or nothing.
/// `home`: of the device's memory. Throws bad_alloc.
Work encode(const Command& command, HomeId home);

} // namespace clotho::cluster
