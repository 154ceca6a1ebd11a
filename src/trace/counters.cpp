// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/counters.hpp"

#include "base/log.hpp"
#include "base/options.hpp"
#include "base/unique_fd.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace clotho::trace {

namespace {

constexpr std::uint64_t kCounted[] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CACHE_MISSES};

constexpr std::size_t kCounters = std::size(kCounted);

/// The calling thread's counters.
struct Group {
  bool isAsked = false;
  int descriptors[kCounters] = {-1, -1, -1}; ///< the first reads all; -1: there are none
};
constinit thread_local Group group __attribute__((tls_model("initial-exec")));

const char* reasonFor(int error) {
  switch (error) {
  case EACCES:
  case EPERM: return "the system does not allow it (/proc/sys/kernel/perf_event_paranoid, or a container's filter)";
  case ENOENT:
  case EOPNOTSUPP:
  case ENODEV: return "the processor has no such counters, as in many virtual machines";
  case ENOSYS: return "this kernel of Linux has no perf events";
  case EMFILE: return "there are too many open files";
  default: return "the system refuses";
  }
}

int openCounter(std::uint64_t what, int leader) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = what;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_GROUP;
  const auto open = [&] {
    return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
  };
  return aboveLowNumbers(makeFd(open)).release();
}

void openGroup() {
  static std::atomic<bool> isToldWhy{false};
  group.isAsked = true;
  UniqueFd opened[kCounters];
  for (std::size_t i = 0; i < kCounters; ++i) {
    opened[i].reset(openCounter(kCounted[i], i == 0 ? -1 : opened[0].get()));
    if (opened[i]) continue;
    const int error = errno;
    if (!isToldWhy.exchange(true))
      CLOTHO_LOG(Runtime, Error, "no counters in the trace: %s (error %d)", reasonFor(error), error);
    return;
  }
  for (std::size_t i = 0; i < kCounters; ++i)
    group.descriptors[i] = opened[i].release();
}

} // namespace

bool wantsCounters() noexcept { return options().traceCounters; }

CounterValues countersNow() noexcept {
  if (!wantsCounters()) return {};
  if (!group.isAsked) openGroup();
  if (group.descriptors[0] < 0) return {};
  struct {
    std::uint64_t count, values[kCounters];
  } seen;
  if (read(group.descriptors[0], &seen, sizeof seen) != sizeof seen) return {};
  return {seen.values[0], seen.values[1], seen.values[2]};
}

void closeCounters() noexcept {
  for (const int descriptor : group.descriptors)
    UniqueFd closing(descriptor);
  group = {};
}

} // namespace clotho::trace
