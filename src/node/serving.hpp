// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"
#include "node/child_program.hpp"
#include "node/server.hpp"

#include <sys/types.h>

namespace clotho::node {

/// A descriptor that can be read when one of these signals comes, which then does nothing else: SIGTERM, SIGHUP and the
/// end of a child; for services SIGINT, too, which a node otherwise leaves to its program. Signals that the process was
/// started to ignore do nothing.
UniqueFd takeSignals(const InheritedSignals& inherited, bool isService = false);

/// Events by which a node's work ends. Descriptors are -1, and the program is 0, where there is none.
struct Ending {
  pid_t program = 0; ///< it has ended: with its status; signals go to it
  int input = -1;    ///< it is at its end
  int event = -1;    ///< it can be read
};

/// Answers programs at `listener`, if there is one, until the end. The exit status.
int serve(const UniqueFd& listener, const UniqueFd& signals, Server& server, const Ending& ending);

} // namespace clotho::node
