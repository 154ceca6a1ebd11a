// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "session.hpp"

#include <vector>

namespace bench {

/// Launches of a small kernel that are enqueued one by one, next to the same recorded in a command buffer and replayed;
/// each from the first call to the end of clFinish.
class ReplayComparison {
 public:
  ReplayComparison(Session& session, int commands);
  ~ReplayComparison();
  ReplayComparison(const ReplayComparison&) = delete;
  ReplayComparison& operator=(const ReplayComparison&) = delete;

  /// us for each command, verified.
  double enqueued();
  double replayed();

 private:
  template <class Enqueue> double time(Enqueue&& enqueue);

  Session& session_;
  const int commands_;
  SmallKernel kernel_;
  void* buffer_ = nullptr; ///< a cl_command_buffer_khr
};

/// The speed of replaying in per cent of that of enqueueing, one a round.
std::vector<double> compareReplays(Session& session, int commands, int rounds);

} // namespace bench
