// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/thread_affinity.hpp"

#include <sched.h>
#include <unistd.h>

namespace clotho {

namespace {
constinit thread_local bool isBound __attribute__((tls_model("initial-exec"))) = false;
}

bool isThreadBound() noexcept { return isBound; }
void noteThreadBound() noexcept { isBound = true; }

void takeAffinityOfProcess() noexcept {
  cpu_set_t sets[16]; // 16384 processors
  if (sched_getaffinity(getpid(), sizeof sets, sets) == 0) sched_setaffinity(0, sizeof sets, sets);
}

} // namespace clotho
