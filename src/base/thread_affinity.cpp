// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/thread_affinity.hpp"

#include "base/options.hpp"

#include <algorithm>
#include <sched.h>
#include <unistd.h>

namespace clotho {

namespace {
constexpr std::size_t kSets = 16; // of 1024 processors each

constinit thread_local bool isBound __attribute__((tls_model("initial-exec"))) = false;
} // namespace

bool isThreadBound() noexcept { return isBound; }
void noteThreadBound() noexcept { isBound = true; }

std::size_t usableProcessors() noexcept {
  cpu_set_t sets[kSets] = {};
  // Fails where there are more than the sets hold: many.
  const bool isKnown = sched_getaffinity(0, sizeof sets, sets) == 0;
  const std::size_t count = isKnown ? static_cast<std::size_t>(CPU_COUNT_S(sizeof sets, sets)) : kSets * CPU_SETSIZE;
  const std::size_t limit = options().computeUnits;
  return std::max<std::size_t>(1, limit != 0 ? std::min(limit, count) : count);
}

void takeAffinityOfProcess() noexcept {
  cpu_set_t sets[kSets];
  if (sched_getaffinity(getpid(), sizeof sets, sets) == 0) sched_setaffinity(0, sizeof sets, sets);
}

} // namespace clotho
