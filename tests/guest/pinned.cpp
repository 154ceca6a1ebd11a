// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that binds its threads to processors, each to another: the device has the processors of all of them, and
// its threads run on all of these, whichever thread asked for the device first and whichever enqueued first. usage:
// guest-pinned before|after: the main thread is bound before its first call of OpenCL, or after
#include "guest.hpp"

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace {

cpu_set_t allowed() {
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  return set;
}

void bindTo(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
}

int nth(const cpu_set_t& set, int n) {
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set) && n-- == 0) return i;
  return -1;
}

/// How many of the driver's workers (clotho-0 and so on) may run on all processors of the set and on no others.
int workersOn(const cpu_set_t& set) {
  int workers = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm") >> std::ws, name);
    if (name.rfind("clotho-", 0) != 0 || name.find_first_not_of("0123456789", 7) != std::string::npos) continue;
    cpu_set_t its;
    const int id = std::stoi(thread.path().filename());
    REQUIRE(sched_getaffinity(id, sizeof its, &its) == 0);
    workers += CPU_EQUAL(&its, &set);
  }
  return workers;
}

} // namespace

int main(int count, char** arguments) {
  REQUIRE(count == 2);
  const bool before = std::strcmp(arguments[1], "before") == 0;
  const cpu_set_t all = allowed();
  if (CPU_COUNT(&all) < 2) {
    std::puts("there is one processor only");
    return 77;
  }
  if (before) {
    // As a pool of threads is: each on its own processor, with one that is not bound.
    bindTo(nth(all, 0));
    static std::atomic<bool> isReady{false};
    std::thread([&] {
      REQUIRE(sched_setaffinity(0, sizeof all, &all) == 0);
      isReady = true;
      pause();
    }).detach();
    while (!isReady)
      usleep(1000);
  }
  const guest::Session session;
  cl_uint units = 0;
  REQUIRE(clGetDeviceInfo(session.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr) == CL_SUCCESS);
  if (!before) bindTo(nth(all, 1));
  std::printf("%d processors, %u units\n", CPU_COUNT(&all), units);
  REQUIRE(units > 1);
  for (int i = 0; i < 3; ++i)
    guest::computeSomething(session, i);
  // They start one another.
  int workers = 0;
  for (int i = 0; i < 10000 && workers < int(units); ++i) {
    usleep(1000);
    workers = workersOn(all);
  }
  std::printf("%d workers\n", workers);
  REQUIRE(workers == int(units));
  const cpu_set_t mine = allowed();
  REQUIRE(CPU_COUNT(&mine) == 1);
  return 0;
}
