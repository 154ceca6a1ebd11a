// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/thread_affinity.hpp"

#include <sched.h>
#include <unistd.h>

namespace clotho {

void takeAffinityOfProcess() noexcept {
  cpu_set_t sets[16]; // 16384 processors
  if (sched_getaffinity(getpid(), sizeof sets, sets) == 0) sched_setaffinity(0, sizeof sets, sets);
}

} // namespace clotho
