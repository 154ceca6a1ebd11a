// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that reads or writes an unmapped address, overflows its stack, runs an illegal instruction or stops at a
// breakpoint fails its command; kernel and work-group are named to the context's callback and in the log, and the
// process goes on. Of work-groups that ran as one, which only kernels can be for which it makes no difference, the
// first and the last are named.
#include "guest.hpp"

#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <utility>

namespace {

const char* const kSource = R"(
kernel void readsWild(global int* out, ulong address, int bad) {
  const int i = get_global_id(0);
  out[i] = i == bad ? *(global int*)address : i;
}
kernel void writesWild(global int* out, ulong address, int bad) {
  const int i = get_global_id(0);
  if (i == bad) *(global int*)address = i;
  out[i] = i;
}
// In a function of its own: the stack is as large as the variables of the kernel itself ask for.
__attribute__((noinline)) int far(ulong seed, int i) {
  volatile int own[64 << 20];
  own[seed + i] = i;
  own[(64 << 20) - 1 - i] = 1;
  return own[seed + i];
}
kernel void overflows(global int* out, ulong seed, int bad) {
  const int i = get_global_id(0);
  out[i] = far(seed, i);
}
// Little by little, through calls: each frame is far smaller than what guards the stack.
__attribute__((noinline)) int third(volatile int* from, int depth) {
  volatile int own[40000];
  for (int k = 0; k < 40000; k += 500) own[k] = from[k] + depth;
  return own[depth];
}
__attribute__((noinline)) int second(volatile int* from, int depth) {
  volatile int own[2500000];
  for (int k = 0; k < 2500000; k += 500) own[k] = from[k % 30000] + depth;
  return third(own, depth) + own[depth];
}
kernel void overflowsDeep(global int* out, ulong seed, int bad) {
  const int i = get_global_id(0);
  volatile int own[1500000];
  for (int k = 0; k < 1500000; k += 500) own[k] = seed + k;
  out[i] = i == bad ? second(own, seed) : 0;
}
kernel void traps(global int* out, ulong unused, int bad) {
  const int i = get_global_id(0);
  if (i == bad) __builtin_trap();
  out[i] = i;
}
kernel void stops(global int* out, ulong unused, int bad) {
  const int i = get_global_id(0);
  if (i == bad) __builtin_debugtrap();
  out[i] = i;
}
kernel void acrossBarrier(global int* out, ulong address, int bad) {
  local int shared[16];
  const int i = get_global_id(0);
  shared[get_local_id(0)] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = i == bad ? *(volatile global int*)address : shared[get_local_id(0)];
}
kernel void byGroupId(global int* out, ulong address, int bad) {
  const int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  out[i] = i == bad ? *(volatile global int*)address : i;
}
kernel void good(global int* out, ulong add, int bad) {
  const int i = get_global_id(0);
  out[i] = i + (int)add;
}
)";

constexpr std::size_t kItems = 1024, kLocal = 16;
constexpr cl_ulong kNowhere = 0x10;

/// What the context's callback is told.
struct Reports {
  std::mutex mutex;
  std::string text;
  int count = 0, taken = 0;

  static void CL_CALLBACK notify(const char* text, const void*, std::size_t, void* user) {
    auto& self = *static_cast<Reports*>(user);
    const std::lock_guard lock(self.mutex);
    self.text += std::string(text) + "\n";
    ++self.count;
  }
  /// Waits for something, since the callback comes from another thread.
  std::string take() {
    const int before = taken;
    expect(before + 1);
    const std::lock_guard lock(mutex);
    taken = count;
    return std::exchange(text, {});
  }
  void expect(int reports) {
    for (int i = 0; i < 20000; ++i) {
      {
        const std::lock_guard lock(mutex);
        if (count >= reports) break;
      }
      usleep(1000);
    }
    const std::lock_guard lock(mutex);
    REQUIRE(count >= reports);
  }
};

/// The lines of the log since the last call: standard error goes to a file.
class Log {
 public:
  Log() {
    char name[] = "faulting_kernels.XXXXXX";
    file_ = mkstemp(name);
    REQUIRE(file_ >= 0);
    unlink(name);
    REQUIRE(setenv("CLOTHO_LOG", "error", 1) == 0);
    guest::errorFile = errors_ = dup(STDERR_FILENO);
    dup2(file_, STDERR_FILENO);
  }
  /// The text, and standard error as it was.
  std::string end() {
    dup2(errors_, STDERR_FILENO);
    std::string text(1 << 20, '\0');
    const ssize_t size = pread(file_, text.data(), text.size(), 0);
    REQUIRE(size >= 0);
    text.resize(std::size_t(size));
    return text;
  }

 private:
  int file_, errors_;
};

struct Bench {
  Reports reports;
  guest::Session session{Reports::notify, &reports};
  cl_program program = guest::build(session.context, session.device, kSource);
  cl_mem buffer = nullptr;

  Bench() {
    cl_int status = CL_SUCCESS;
    buffer = clCreateBuffer(session.context, CL_MEM_READ_WRITE, kItems * sizeof(int), nullptr, &status);
    REQUIRE(status == CL_SUCCESS);
  }
  ~Bench() {
    clReleaseMemObject(buffer);
    clReleaseProgram(program);
  }
};

cl_event enqueue(const Bench& bench, cl_command_queue queue, const char* name, cl_ulong value, int bad,
                 std::size_t local = kLocal) {
  cl_kernel kernel = guest::kernel(bench.program, name);
  REQUIRE(clSetKernelArg(kernel, 0, sizeof bench.buffer, &bench.buffer) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(kernel, 1, sizeof value, &value) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(kernel, 2, sizeof bad, &bad) == CL_SUCCESS);
  cl_event event = nullptr;
  REQUIRE(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kItems, &local, 0, nullptr, &event) == CL_SUCCESS);
  clReleaseKernel(kernel);
  return event;
}

cl_int statusOf(cl_event event) {
  cl_int status = 99;
  REQUIRE(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) == CL_SUCCESS);
  return status;
}

enum class Wait { Event, Finish, Poll };

void requireGood(const Bench& bench, cl_command_queue queue) {
  static std::atomic<int> next{0};
  const int add = ++next;
  cl_event event = enqueue(bench, queue, "good", cl_ulong(add), 0);
  std::vector<int> values(kItems);
  REQUIRE(clEnqueueReadBuffer(queue, bench.buffer, CL_TRUE, 0, kItems * sizeof(int), values.data(), 1, &event,
                              nullptr) == CL_SUCCESS);
  for (std::size_t i = 0; i < kItems; ++i)
    REQUIRE(values[i] == int(i) + add);
  REQUIRE(statusOf(event) == CL_COMPLETE);
  clReleaseEvent(event);
}

constexpr unsigned kAnyGroup = ~0u;

/// Whether a line of the text names the kernel and the work-group, alone or in a row of several.
bool names(const std::string& text, const std::string& kernel, unsigned group, bool alone) {
  const std::string start = "kernel '" + kernel + "', work-group";
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const char* rest = text.c_str() + at + start.size();
    unsigned first = 0, last = 0;
    int length = 0;
    if (std::sscanf(rest, " (%u, 0, 0):%n", &first, &length) == 1 && length > 0)
      last = first;
    else if (alone || std::sscanf(rest, "s (%u, 0, 0) to (%u, 0, 0):%n", &first, &last, &length) != 2 || length == 0)
      continue;
    if (group == kAnyGroup || (first <= group && group <= last)) return true;
  }
  return false;
}

bool runsAlone(const std::string& kernel) { return kernel == "acrossBarrier" || kernel == "byGroupId"; }

void requireFault(Bench& bench, Wait wait, const char* name, cl_ulong value, int bad, unsigned group,
                  const char* what) {
  cl_command_queue queue = bench.session.queue;
  cl_event event = enqueue(bench, queue, name, value, bad);
  switch (wait) {
  case Wait::Event: REQUIRE(clWaitForEvents(1, &event) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST); break;
  case Wait::Finish: REQUIRE(clFinish(queue) == CL_SUCCESS); break; // done is done, be it well or not
  case Wait::Poll:                                                  // no caller helps: a worker runs it
    REQUIRE(clFlush(queue) == CL_SUCCESS);
    for (int i = 0; i < 30000 && statusOf(event) > CL_COMPLETE; ++i)
      usleep(1000);
    break;
  }
  REQUIRE(statusOf(event) == CL_OUT_OF_RESOURCES);
  const std::string text = bench.reports.take();
  std::printf("%s", text.c_str());
  std::fflush(stdout);
  REQUIRE(names(text, name, group, runsAlone(name)));
  REQUIRE(text.find(what) != std::string::npos);
  REQUIRE(text.find('\n') == text.size() - 1); // told once
  clReleaseEvent(event);
  requireGood(bench, queue); // the process goes on, on the same queue
}

/// 77 is in work-group 4, 1000 in 62.
void testEachFault() {
  Bench bench;
  requireGood(bench, bench.session.queue);
  for (const Wait wait : {Wait::Event, Wait::Finish, Wait::Poll, Wait::Event, Wait::Poll}) {
    requireFault(bench, wait, "readsWild", kNowhere, 77, 4, "read of unmapped address 0x10");
    requireFault(bench, wait, "writesWild", kNowhere, 1000, 62, "write to unmapped address 0x10");
    requireFault(bench, wait, "writesWild", 0xdeadbeef00000000, 0, 0, "access to invalid address");
    requireFault(bench, wait, "traps", 0, 77, 4, "illegal instruction");
    requireFault(bench, wait, "stops", 0, 77, 4, "breakpoint");
    requireFault(bench, wait, "acrossBarrier", kNowhere, 77, 4, "read of unmapped address 0x10");
    requireFault(bench, wait, "byGroupId", kNowhere, 1000, 62, "read of unmapped address 0x10");
    requireFault(bench, wait, "overflows", 5, 0, kAnyGroup, "stack overflow");
    requireFault(bench, wait, "overflowsDeep", 5, 77, 4, "stack overflow");
  }
}

/// Commands that wait for a failed one by their wait list fail too, as the specification says; those that merely come
/// later in the queue do not.
void testSuccessors() {
  Bench bench;
  cl_command_queue queue = bench.session.queue;
  cl_event first = enqueue(bench, queue, "traps", 0, 3);
  std::vector<int> values(kItems);
  cl_event dependent = nullptr, later = nullptr;
  REQUIRE(clEnqueueReadBuffer(queue, bench.buffer, CL_FALSE, 0, kItems * sizeof(int), values.data(), 1, &first,
                              &dependent) == CL_SUCCESS);
  REQUIRE(clEnqueueReadBuffer(queue, bench.buffer, CL_FALSE, 0, kItems * sizeof(int), values.data(), 0, nullptr,
                              &later) == CL_SUCCESS);
  REQUIRE(clWaitForEvents(1, &dependent) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  REQUIRE(clWaitForEvents(1, &later) == CL_SUCCESS);
  REQUIRE(statusOf(first) == CL_OUT_OF_RESOURCES && statusOf(dependent) < 0 && statusOf(later) == CL_COMPLETE);
  for (cl_event event : {first, dependent, later})
    clReleaseEvent(event);
  REQUIRE(!bench.reports.take().empty());
}

/// Good and bad kernels run at once, from several threads and queues: a fault changes no other kernel's results.
void testSeveralQueues() {
  constexpr int kThreads = 4, kRounds = 15;
  const auto work = [](int thread) {
    Bench bench;
    cl_int status = CL_SUCCESS;
    cl_command_queue unordered = clCreateCommandQueue(bench.session.context, bench.session.device,
                                                      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    REQUIRE(status == CL_SUCCESS);
    const char* const names[] = {"readsWild", "writesWild", "traps", "acrossBarrier", "overflows"};
    for (int round = 0; round < kRounds; ++round) {
      cl_event events[8];
      for (int i = 0; i < 8; ++i)
        events[i] = enqueue(bench, i % 2 ? unordered : bench.session.queue, names[(thread + round + i) % 5], kNowhere,
                            (round * 100 + i) % int(kItems), i % 3 ? kLocal : 256);
      if (round % 2) {
        REQUIRE(clFinish(bench.session.queue) == CL_SUCCESS);
        REQUIRE(clFinish(unordered) == CL_SUCCESS);
      } else {
        REQUIRE(clWaitForEvents(8, events) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
      }
      for (cl_event event : events) {
        REQUIRE(statusOf(event) == CL_OUT_OF_RESOURCES);
        clReleaseEvent(event);
      }
      requireGood(bench, bench.session.queue);
    }
    REQUIRE(clReleaseCommandQueue(unordered) == CL_SUCCESS);
    bench.reports.expect(8 * kRounds);
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back(work, thread);
  for (std::thread& thread : threads)
    thread.join();
}

} // namespace

int main() {
  alarm(150);
  Log log;
  testEachFault();
  const std::string text = log.end();
  for (const auto& [kernel, group] :
       {std::pair{"readsWild", 4u}, {"writesWild", 62u}, {"traps", 4u}, {"overflowsDeep", 4u}, {"byGroupId", 62u}})
    REQUIRE(names(text, kernel, group, runsAlone(kernel)));
  REQUIRE(dup2(open("/dev/null", O_WRONLY), STDERR_FILENO) >= 0);
  testSuccessors();
  testSeveralQueues();
  return 0;
}
