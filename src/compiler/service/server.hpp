// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"
#include "compiler/service/core.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <sys/types.h>
#include <vector>

namespace clotho::service {

/// The compiler process: passes each request to a child of its own, so that a build that crashes or hangs affects
/// nothing else. Single-threaded, since it forks; it never reads a request itself. Up to `maxChildren` builds run at
/// once, others are queued. When idle, it makes and warms a spare child for the next request.
class Server {
 public:
  Server(Core& core, UniqueFd control, std::size_t maxChildren);

  /// Serves until the control socket closes.
  void run();

 private:
  struct Child {
    pid_t pid = -1;
    UniqueFd request; ///< Socket for the server's answer if the child dies; empty for a spare
    UniqueFd output;  ///< what it writes to standard error
    UniqueFd handOff; ///< a spare's socket: it says that it is warm, and gets its request
    bool warm = false;
    std::chrono::steady_clock::time_point begun; ///< Time at which it got its request
    bool ranOut = false;                         ///< Whether it was ended because it took too long
  };

  bool takeRequests();
  void reap();
  /// Ends builds that have taken too long. Returns the milliseconds until the next one will have, or -1.
  int endLongBuilds();
  void buried(Child& child, int status);
  void dispatch();
  bool useSpare(UniqueFd& request);
  bool startChild(UniqueFd& request);
  void makeSpare();
  void hearSpare();
  /// First step of a child: closes all descriptors of the server.
  void forgetAll();

  Core& core_;
  UniqueFd control_;
  UniqueFd childEvents_;
  const std::size_t maxChildren_;
  std::deque<UniqueFd> queue_;
  std::vector<Child> running_;
  Child spare_;
  int failedSpares_ = 0;
};

/// Detaches the process from its starter: folder, limits, privileges. Call once, before `Server`.
void leaveSurroundings();

} // namespace clotho::service
