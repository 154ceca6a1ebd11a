// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace clotho {

/// Whether we have bound this thread to the processors of a sub-device. A thread that it makes inherits these.
bool isThreadBound() noexcept;
void noteThreadBound() noexcept;

/// How many threads of the calling one's making can run at once, at least one: as many as there are processors for
/// them, and at most as many as CLOTHO_COMPUTE_UNITS says.
std::size_t usableProcessors() noexcept;

/// Lets this thread run wherever the process's first one may.
void takeAffinityOfProcess() noexcept;

/// How the kernel schedules a thread: the policy, and the priority among threads of that policy.
struct Scheduling {
  int policy = 0; ///< never a real-time one
  int nice = 0;
};

/// The scheduling of the process's first thread, but the ordinary policy where it is a real-time one. A thread of ours
/// works for all threads of the application's, so what the one that made it has is not to be inherited: a real-time
/// thread's kernels would keep others from running, and an idle thread's would never end.
Scheduling schedulingOfProcess() noexcept;
/// Gives the running thread this scheduling, as far as it may. Makes system calls only, and only for what differs.
void takeScheduling(const Scheduling& wanted) noexcept;

} // namespace clotho
