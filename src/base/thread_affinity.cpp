// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/thread_affinity.hpp"

#include "base/options.hpp"
#include "base/uninstrumented.hpp"

#include <algorithm>
#include <cerrno>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

Scheduling schedulingOfProcess() noexcept {
  Scheduling result;
  const int policy = sched_getscheduler(getpid());
  // SCHED_RESET_ON_FORK may be among the bits of the answer.
  result.policy = policy == SCHED_BATCH || policy == SCHED_IDLE ? policy : SCHED_OTHER;
  errno = 0;
  const int nice = getpriority(PRIO_PROCESS, static_cast<id_t>(getpid()));
  if (errno == 0) result.nice = nice;
  return result;
}

CLOTHO_UNINSTRUMENTED void takeScheduling(const Scheduling& wanted) noexcept {
  const sched_param none{};
  if (syscall(SYS_sched_getscheduler, 0) != wanted.policy) syscall(SYS_sched_setscheduler, 0, wanted.policy, &none);
  constexpr int kOffset = 20; // the system call answers with 20 less the nice value
  const long nice = syscall(SYS_getpriority, PRIO_PROCESS, 0);
  if (nice > 0 && nice != kOffset - wanted.nice) syscall(SYS_setpriority, PRIO_PROCESS, 0, wanted.nice);
}

void takeAffinityOfProcess() noexcept {
  cpu_set_t sets[kSets];
  if (sched_getaffinity(getpid(), sizeof sets, sets) == 0) sched_setaffinity(0, sizeof sets, sets);
}

} // namespace clotho
