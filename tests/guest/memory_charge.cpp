// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver takes little memory before it is used, also as the system counts it that promises no more than it has, and
// where the application locks what it maps. usage: memory_charge writable|locked|limited
#include "guest.hpp"

#include <cstring>
#include <fstream>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr int kSkip = 77;

/// What vm.overcommit_memory=2 counts: private mappings that can be written, whether they are touched or not.
std::size_t writableBytes() {
  std::size_t sum = 0;
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    unsigned long begin = 0, end = 0;
    char rights[8] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %7s", &begin, &end, rights) == 3 && rights[1] == 'w' && rights[3] == 'p')
      sum += end - begin;
  }
  return sum;
}

/// The number in a row of /proc/self/status.
std::size_t numberOf(const char* row) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(row)) return std::strtoull(line.c_str() + std::strcspn(line.c_str(), "\t") + 1, nullptr, 10);
  return 0;
}

/// A row in KiB, in bytes.
std::size_t statusOf(const char* row) { return numberOf(row) << 10; }

std::size_t threads() { return numberOf("Threads:"); }

void print(const char* when) {
  std::printf("%s: %zu MiB writable, %zu MiB locked, %zu MiB resident\n", when, writableBytes() / kMiB,
              statusOf("VmLck") / kMiB, statusOf("VmRSS") / kMiB);
}

/// More locked memory than the limit allows: the superuser's right.
void giveUpLocking() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  REQUIRE(syscall(SYS_capget, &header, sets) == 0);
  for (auto* set : {&sets[0].effective, &sets[0].permitted})
    *set &= ~(1U << CAP_IPC_LOCK);
  REQUIRE(syscall(SYS_capset, &header, sets) == 0);
}

/// Room for the libraries, which are locked as well, and far from room for what the driver reserves.
void limitLocking() {
  constexpr rlim_t kMost = 192 * kMiB, kLeast = 16 * kMiB;
  rlimit limit{kMost, kMost};
  if (setrlimit(RLIMIT_MEMLOCK, &limit) == 0) return; // as the superuser may
  REQUIRE(getrlimit(RLIMIT_MEMLOCK, &limit) == 0);
  limit.rlim_cur = limit.rlim_max < kMost ? limit.rlim_max : kMost;
  if (limit.rlim_cur >= kLeast && setrlimit(RLIMIT_MEMLOCK, &limit) == 0) return;
  std::puts("the limit on locked memory is lower than this test needs");
  std::exit(kSkip);
}

/// Until the process has no more threads than 10 ms before: the driver starts them one after the other.
void waitForThreads() {
  for (std::size_t before = 0, now = threads(); now != before;) {
    usleep(10'000);
    before = std::exchange(now, threads());
  }
}

void lockWhatComes() {
  if (mlockall(MCL_FUTURE) == 0) return;
  std::puts("mlockall is forbidden here");
  std::exit(kSkip);
}

} // namespace

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  const std::string what = argv[1];
  alarm(120);
  if (what == "locked") {
    // Thread stacks and heaps are locked, too, and there are many of them on large machines.
    rlimit limit;
    REQUIRE(getrlimit(RLIMIT_MEMLOCK, &limit) == 0);
    limit.rlim_cur = limit.rlim_max;
    REQUIRE(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
    if (limit.rlim_max != RLIM_INFINITY && geteuid() != 0) {
      std::puts("not all memory may be locked here");
      return kSkip;
    }
    lockWhatComes();
  } else if (what == "limited") {
    giveUpLocking();
    limitLocking();
    lockWhatComes();
  } else {
    REQUIRE(what == "writable");
  }
  const std::size_t before = writableBytes(), lockedBefore = statusOf("VmLck");
  print("before");
  {
    const guest::Session session;
    print("with a queue");
    REQUIRE(writableBytes() - before < 32 * kMiB);
    REQUIRE(statusOf("VmLck") - lockedBefore < 64 * kMiB);
    REQUIRE(statusOf("VmRSS") < 128 * kMiB);
    guest::computeSomething(session);
    // Threads have stacks now, which are untouched for the most part.
    print("after a launch");
    REQUIRE(statusOf("VmRSS") < 256 * kMiB);
    waitForThreads();
    print("with all threads");
    // A heap of a thread has 64 MiB of addresses.
    REQUIRE(statusOf("VmLck") - lockedBefore < 48 * kMiB);
    // Each handle of a kind that a process may have in large numbers lies in memory that there is.
    std::vector<cl_event> events;
    events.reserve(10'000);
    cl_int status = CL_SUCCESS;
    for (int i = 0; i < 10'000; ++i) {
      events.push_back(clCreateUserEvent(session.context, &status));
      REQUIRE(status == CL_SUCCESS);
    }
    print("with many events");
    for (cl_event event : events)
      REQUIRE(clReleaseEvent(event) == CL_SUCCESS);
  }
  return 0;
}
