// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread with a scheduling of its own makes the first calls, as an audio host's real-time thread may: the driver's
// threads and the compiler process have the scheduling of the process all the same, but never a real-time one.
#include "guest.hpp"

#include <cctype>
#include <dirent.h>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr int kNice = 7;

bool isRoot() { return geteuid() == 0; }

std::vector<pid_t> numbersIn(const char* path) {
  std::vector<pid_t> numbers;
  DIR* folder = opendir(path);
  REQUIRE(folder != nullptr);
  while (const dirent* entry = readdir(folder))
    if (std::isdigit(entry->d_name[0])) numbers.push_back(std::atoi(entry->d_name));
  closedir(folder);
  return numbers;
}

std::string contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Whether the scheduling is the first thread's, which is ordinary. `usual`: how nice that is.
void expectOrdinary(pid_t thread, const std::string& name, int usual) {
  const int policy = sched_getscheduler(thread), nice = getpriority(PRIO_PROCESS, static_cast<id_t>(thread));
  if (policy == SCHED_OTHER && (nice == usual || !isRoot())) return; // others may not become nicer again
  std::fprintf(stderr, "%s: policy %d, nice %d\n", name.c_str(), policy, nice);
  REQUIRE(false);
}

void makeFirstCalls() {
  sched_param parameters{};
  parameters.sched_priority = 10;
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  REQUIRE(setpriority(PRIO_PROCESS, static_cast<id_t>(self), kNice) == 0);
  if (sched_setscheduler(self, SCHED_FIFO, &parameters) != 0) {
    parameters.sched_priority = 0;
    REQUIRE(sched_setscheduler(self, SCHED_BATCH, &parameters) == 0);
  }
  guest::Session session;
  session.keep = true;
  for (int i = 0; i < 3; ++i)
    guest::computeSomething(session, i);
  cl_int status = CL_SUCCESS;
  cl_event gate = clCreateUserEvent(session.context, &status);
  REQUIRE(status == CL_SUCCESS);
  REQUIRE(clSetEventCallback(gate, CL_COMPLETE, [](cl_event, cl_int, void*) {}, nullptr) == CL_SUCCESS);
  REQUIRE(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
}

} // namespace

int main() {
  const std::string mark = "GUEST_REALTIME=" + std::to_string(getpid());
  REQUIRE(putenv(const_cast<char*>(mark.c_str())) == 0);
  const int usual = getpriority(PRIO_PROCESS, 0);
  REQUIRE(usual != kNice);
  std::thread(makeFirstCalls).join();
  usleep(100'000); // threads begin with it, but may be about to
  int ours = 0, compilers = 0;
  for (const pid_t thread : numbersIn("/proc/self/task")) {
    const std::string name = contents("/proc/self/task/" + std::to_string(thread) + "/comm");
    if (!name.starts_with("clotho-")) continue;
    ++ours;
    expectOrdinary(thread, name, usual);
  }
  for (const pid_t process : numbersIn("/proc")) {
    const std::string folder = "/proc/" + std::to_string(process);
    if (process == getpid() || contents(folder + "/environ").find(mark) == std::string::npos) continue;
    ++compilers;
    expectOrdinary(process, contents(folder + "/comm"), usual);
  }
  std::printf("%d threads, %d processes of the compiler\n", ours, compilers);
  REQUIRE(ours >= 2 && compilers >= 1);
  return 0;
}
