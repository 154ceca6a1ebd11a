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

/// The compiler process: hands each request to a child of its own, so that a build that crashes or runs away takes
/// nothing with it. Single-threaded, since it forks; it never reads a request itself. Up to `maxChildren` builds run
/// at once, others queue. When nothing runs, a spare child is made and warmed for the next request.
class Server {
 public:
  Server(Core& core, UniqueFd control, std::size_t maxChildren);

  /// Serves until the control socket closes.
  void run();

 private:
  struct Child {
    pid_t pid = -1;
    UniqueFd request; ///< to answer in the child's stead should it die; empty while it is a spare
    UniqueFd output;  ///< what it writes to standard error
    UniqueFd handOff; ///< a spare's socket: it says that it is warm, and gets its request
    bool warm = false;
    std::chrono::steady_clock::time_point begun; ///< when it got its request
    bool ranOut = false;                         ///< it was ended because it took too long
  };

  bool takeRequests();
  void reap();
  /// Ends the builds that have taken too long; how many milliseconds there are until the next one will have, or -1.
  int endLongBuilds();
  void buried(Child& child, int status);
  void dispatch();
  bool useSpare(UniqueFd& request);
  bool startChild(UniqueFd& request);
  void makeSpare();
  void hearSpare();
  /// What a child does first: nothing of the server's may stay open in it.
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

/// Takes the process out of its starter's surroundings: folder, limits, privileges. Called once, before `Server`.
void leaveSurroundings();

} // namespace clotho::service
