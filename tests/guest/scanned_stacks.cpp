// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host that looks through the stacks of its threads, as garbage collectors do: it stops a thread by a signal and
// reads from the thread's stack pointer to the base of its stack. While a waiting thread runs kernels it does so on
// that stack, with the signal stack that the application gave it. Kernels that need much stack, or an unknown amount,
// do not run there, and with CLOTHO_HELP=0 none does. usage: guest-scanned_stacks [off]
#include "guest.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <pthread.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>

namespace {

const char* const kSource = R"(
kernel void small(global uint* out, uint rounds) {
  uint x = get_global_id(0);
  for (uint i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
  out[get_global_id(0)] = x;
}
kernel void large(global uint* out, uint rounds) {
  volatile uint own[40000];
  uint x = get_global_id(0);
  for (uint i = 0; i < rounds; ++i) own[(x = x * 1664525u + 1013904223u) % 40000] = x;
  out[get_global_id(0)] = x + own[rounds % 40000];
}
// Its sub-groups wait for each other, so each needs a stack.
kernel void waits(global uint* out, uint rounds) {
  uint x = get_global_id(0);
  for (uint i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
  local atomic_uint turn;
  if (get_local_id(0) == 0) atomic_store(&turn, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  while (atomic_load(&turn) == 0) {}
  out[get_global_id(0)] = x;
}
)";

struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool has(std::uintptr_t address) const { return begin <= address && address < end; }
};

Range stack;
std::atomic<std::uintptr_t> signalStack{0};
std::atomic<int> seen{0}, inKernels{0}, elsewhere{0}, otherSignalStacks{0};
std::atomic<std::uintptr_t> sum{0};
constexpr int kMostCode = 16;
Range code[kMostCode];
std::atomic<int> codeCount{0};

/// Notes where objects of kernels are loaded, which changes: versions of a kernel are loaded while it runs.
void findKernelCode() {
  std::ifstream maps("/proc/self/maps");
  codeCount = 0;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3 || rights[2] != 'x') continue;
    if (line.find("clotho-kernel") == std::string::npos || codeCount == kMostCode) continue;
    code[codeCount] = {begin, end};
    ++codeCount; // only now: onStop may come in between
  }
  REQUIRE(codeCount > 0);
}

void onStop(int, siginfo_t*, void* raw) {
  const auto& context = *static_cast<const ucontext_t*>(raw);
#if defined(__x86_64__)
  const auto at = std::uintptr_t(context.uc_mcontext.gregs[REG_RIP]);
  const auto top = std::uintptr_t(context.uc_mcontext.gregs[REG_RSP]);
#else
  const std::uintptr_t at = context.uc_mcontext.pc, top = context.uc_mcontext.sp;
#endif
  ++seen;
  for (int i = 0; i < codeCount; ++i)
    if (code[i].has(at)) ++inKernels;
  if (reinterpret_cast<std::uintptr_t>(context.uc_stack.ss_sp) != signalStack) ++otherSignalStacks;
  if (!stack.has(top)) {
    ++elsewhere;
    return;
  }
  std::uintptr_t all = 0;
  for (std::uintptr_t word = (top + 7) & ~std::uintptr_t{7}; word + 8 <= stack.end; word += 8)
    all ^= *reinterpret_cast<const volatile std::uintptr_t*>(word);
  sum.store(all, std::memory_order_relaxed);
}

Range ownStack() {
  pthread_attr_t attributes;
  void* begin = nullptr;
  std::size_t size = 0;
  REQUIRE(pthread_getattr_np(pthread_self(), &attributes) == 0);
  REQUIRE(pthread_attr_getstack(&attributes, &begin, &size) == 0);
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(begin) + size};
}

void giveSignalStack() {
  constexpr std::size_t kSize = 256 << 10;
  stack_t mine{};
  mine.ss_sp = std::malloc(kSize);
  mine.ss_size = kSize;
  REQUIRE(sigaltstack(&mine, nullptr) == 0);
  signalStack = reinterpret_cast<std::uintptr_t>(mine.ss_sp);
}

/// Launches the kernel again and again, and waits for each, while another thread stops this one all the time: until it
/// was stopped in kernels often enough, or long enough. Gives how often.
int stoppedInKernels(const guest::Session& session, cl_program program, const char* name, int wanted, int seconds) {
  constexpr std::size_t kItems = 4096, kLocal = 64;
  cl_int status = CL_SUCCESS;
  cl_mem buffer = clCreateBuffer(session.context, CL_MEM_READ_WRITE, kItems * sizeof(cl_uint), nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  cl_kernel kernel = guest::kernel(program, name);
  const cl_uint rounds = 20000;
  REQUIRE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(kernel, 1, sizeof rounds, &rounds) == CL_SUCCESS);
  inKernels = elsewhere = otherSignalStacks = seen = 0;
  std::atomic<bool> isOver{false};
  std::thread stopper([&isOver, self = pthread_self()] {
    while (!isOver) {
      pthread_kill(self, SIGUSR1);
      usleep(200);
    }
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (inKernels < wanted && std::chrono::steady_clock::now() < end) {
    REQUIRE(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &kItems, &kLocal, 0, nullptr, nullptr) ==
            CL_SUCCESS);
    REQUIRE(clFinish(session.queue) == CL_SUCCESS);
    findKernelCode();
  }
  isOver = true;
  stopper.join();
  std::vector<cl_uint> out(kItems);
  REQUIRE(clEnqueueReadBuffer(session.queue, buffer, CL_TRUE, 0, kItems * sizeof(cl_uint), out.data(), 0, nullptr,
                              nullptr) == CL_SUCCESS);
  if (std::strcmp(name, "large") != 0)
    for (std::size_t i = 0; i < kItems; ++i) {
      cl_uint x = cl_uint(i);
      for (cl_uint k = 0; k < rounds; ++k)
        x = x * 1664525U + 1013904223U;
      REQUIRE(out[i] == x);
    }
  clReleaseKernel(kernel);
  clReleaseMemObject(buffer);
  std::printf("%s: stopped %d times, %d of them in kernels, %d off the stack\n", name, seen.load(), inKernels.load(),
              elsewhere.load());
  REQUIRE(elsewhere == 0);
  REQUIRE(otherSignalStacks == 0);
  return inKernels;
}

void test(const guest::Session& session, cl_program program, bool helps) {
  stack = ownStack();
  giveSignalStack();
  const int often = stoppedInKernels(session, program, "small", 50, helps ? 60 : 1);
  if (helps)
    REQUIRE(often >= 50);
  else
    REQUIRE(often == 0);
  REQUIRE(stoppedInKernels(session, program, "large", 1, 1) == 0);
  REQUIRE(stoppedInKernels(session, program, "waits", 1, 1) == 0);
}

} // namespace

int main(int count, char**) {
  const bool helps = count == 1;
  REQUIRE(setenv("CLOTHO_HELP", helps ? "1" : "0", 1) == 0);
  REQUIRE(setenv("CLOTHO_CACHE", "0", 1) == 0); // so that kernels are loaded from memory, by a name that maps show
  struct sigaction stop{};
  stop.sa_sigaction = onStop;
  stop.sa_flags = SA_SIGINFO | SA_RESTART;
  REQUIRE(sigaction(SIGUSR1, &stop, nullptr) == 0);
  const guest::Session session;
  cl_program program = guest::build(session.context, session.device, kSource, "-cl-std=CL3.0");
  test(session, program, helps);
  // The stack of a thread that is not the first one is another kind of memory.
  std::thread([&] { test(session, program, helps); }).join();
  clReleaseProgram(program);
  return 0;
}
