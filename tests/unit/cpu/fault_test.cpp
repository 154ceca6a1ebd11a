// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/faults.hpp"

#include "device/cpu/guarded_call.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace clotho::cpu {
namespace {

/// A thread that is set up as workers are.
class Guarded : public testing::Test {
 protected:
  void SetUp() override {
    installFaultHandlers();
    ASSERT_TRUE(executor_.enter());
    ASSERT_TRUE(executor_.hasStack());
  }
  void TearDown() override { executor_.leave(); }

  Fault call(const std::string& kernel, std::uint64_t groups, std::uint64_t number) {
    out_.assign(groups, 0);
    TestArgs args{out_.data(), number};
    LaunchParams params = testParams(args, groups);
    context_ = {};
    context_.subGroups = &kSubGroupServices;
    context_.subGroupState = &executor_.fibres;
    return guardedCall(executor_, testKernel(kernel).function(), &params, &context_, 0, groups);
  }

  Executor executor_;
  WorkerContext context_{};
  std::vector<std::uint64_t> out_;
};

TEST_F(Guarded, OrdinaryCalls) {
  EXPECT_FALSE(call("add_number", 5, 3));
  EXPECT_EQ(out_, std::vector<std::uint64_t>(5, 3));
  EXPECT_EQ(activeGuard(), nullptr);
  EXPECT_FALSE(call("large_frame", 1, 0));
  EXPECT_EQ(out_[0], 1u);
}

TEST_F(Guarded, WriteAndReadOfUnmappedMemory) {
  for (int round = 0; round < 3; ++round) {
    Fault fault = call("write_unmapped", 10, 4);
    EXPECT_EQ(fault.signal, SIGSEGV);
    EXPECT_EQ(fault.address, 0x1230u);
    EXPECT_FALSE(fault.stackOverflow);
    EXPECT_EQ(context_.currentGroup, 4u);
    EXPECT_EQ(out_[4], 1u);
    EXPECT_EQ(out_[5], 0u);
    EXPECT_EQ(activeGuard(), nullptr);
#if defined(__x86_64__)
    EXPECT_EQ(fault.access, Fault::Access::Write);
#endif
    fault = call("read_unmapped", 3, 2);
    EXPECT_EQ(fault.signal, SIGSEGV);
    EXPECT_EQ(fault.address, 0x4560u);
    EXPECT_EQ(context_.currentGroup, 2u);
#if defined(__x86_64__)
    EXPECT_EQ(fault.access, Fault::Access::Read);
    EXPECT_EQ(call("not_canonical", 1, 0).access, Fault::Access::Unknown);
#endif
    EXPECT_FALSE(call("add_number", 5, 3));
  }
}

TEST_F(Guarded, StackOverflow) {
  for (int round = 0; round < 3; ++round) {
    Fault fault = call("overflow", 1, 0);
    EXPECT_TRUE(fault.signal == SIGSEGV || fault.signal == SIGBUS);
    EXPECT_TRUE(fault.stackOverflow);
  }
}

TEST_F(Guarded, IllegalInstruction) {
  Fault fault = call("illegal", 1, 0);
  EXPECT_NE(fault.signal, 0);
#if defined(__x86_64__)
  EXPECT_EQ(fault.signal, SIGILL);
  EXPECT_EQ(call("divide", 1, 0).signal, SIGFPE);
#endif
  EXPECT_FALSE(call("add_number", 1, 1));
}

TEST_F(Guarded, Breakpoint) {
  for (const char* kernel : {"breakpoint", "single_step"}) {
    const Fault fault = call(kernel, 1, 0);
    EXPECT_EQ(fault.signal, SIGTRAP) << kernel;
    EXPECT_FALSE(call("add_number", 1, 1));
  }
}

TEST_F(Guarded, ServiceWithoutMemory) {
  ASSERT_TRUE(executor_.fibres.reserve(2, std::size_t{64} << 10));
  const Fault fault = call("many_sub_groups", 1, 0);
  EXPECT_TRUE(fault);
  EXPECT_TRUE(fault.lacksMemory);
  EXPECT_EQ(fault.signal, 0);
  EXPECT_EQ(activeGuard(), nullptr);
  EXPECT_FALSE(call("add_number", 1, 1));
}

TEST_F(Guarded, SignalMaskIsKept) {
  sigset_t before, after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(call("write_unmapped", 1, 0));
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (int signal : {SIGSEGV, SIGUSR1, SIGILL})
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
}

TEST_F(Guarded, CalleeSavedRegistersSurviveATrap) {
  // Locals that the optimiser likes to keep in registers across the call.
  std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(call("write_unmapped", 1, 0));
    a += b, b += c, c += d, d += e, e += a;
  }
  std::uint64_t a2 = 1, b2 = 2, c2 = 3, d2 = 4, e2 = 5;
  for (int i = 0; i < 100; ++i)
    a2 += b2, b2 += c2, c2 += d2, d2 += e2, e2 += a2;
  EXPECT_EQ(a, a2);
  EXPECT_EQ(e, e2);
}

/// On a thread of the application's that blocks everything, as far as it can.
void trapOnOwnStack() {
  installFaultHandlers();
  sigset_t all, before, after;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_sigmask(SIG_BLOCK, nullptr, &all);
  stack_t signalStack{}, signalStackAfter{};
  sigaltstack(nullptr, &signalStack);
  const CallersStack own = callersStack();
  ASSERT_GT(own.room, std::size_t{10} << 10);
  Executor executor;
  for (int i = 0; i < 5; ++i) {
    executor.enterOnOwnStack(own);
    ASSERT_TRUE(executor.prepareCall(10 << 10));
    EXPECT_EQ(executor.kernelStack(), nullptr);
    std::uint64_t out[3] = {};
    TestArgs args{out, 1};
    LaunchParams params = testParams(args, 3);
    WorkerContext context{};
    EXPECT_FALSE(guardedCall(executor, testKernel("add_number").function(), &params, &context, 0, 3));
    EXPECT_EQ(out[2], 1u);
    for (const char* kernel : {"write_unmapped", "illegal"}) {
      const Fault fault = guardedCall(executor, testKernel(kernel).function(), &params, &context, 0, 3);
      EXPECT_TRUE(fault) << kernel;
      EXPECT_FALSE(fault.stackOverflow);
    }
    // Kernels of unknown stack use, or that need more than there is, have a guarded stack.
    ASSERT_TRUE(executor.prepareCall(0));
    EXPECT_NE(executor.kernelStack(), nullptr);
    ASSERT_TRUE(executor.prepareCall(own.room + 1));
    EXPECT_NE(executor.kernelStack(), nullptr);
    executor.leave();
    pthread_sigmask(SIG_BLOCK, nullptr, &after);
    for (int signal = 1; signal < NSIG; ++signal)
      EXPECT_EQ(sigismember(&all, signal), sigismember(&after, signal)) << signal;
    sigaltstack(nullptr, &signalStackAfter);
    EXPECT_EQ(signalStack.ss_sp, signalStackAfter.ss_sp);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(Faults, OnAThreadsOwnStack) {
  trapOnOwnStack();
  std::thread(trapOnOwnStack).join();
}

TEST(CallersStack, IsNoneOnAnotherStack) {
  EXPECT_GT(callersStack().room, 0u);
  static std::size_t room;
  room = 1;
  const std::vector<std::byte> memory(std::size_t{256} << 10);
  ucontext_t here, there;
  getcontext(&there);
  there.uc_stack.ss_sp = const_cast<std::byte*>(memory.data());
  there.uc_stack.ss_size = memory.size();
  there.uc_link = &here;
  makecontext(&there, [] { room = callersStack().room; }, 0);
  swapcontext(&here, &there);
  EXPECT_EQ(room, 0u);
}

TEST(CallersStack, LittleIsNone) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "this sanitizer enlarges stacks";
#endif
#endif
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{64} << 10);
  static std::size_t room;
  room = 1;
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void*) -> void* {
                  room = callersStack().room;
                  return nullptr;
                },
                nullptr),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(room, 0u);
}

TEST(Faults, ManyThreadsAtOnce) {
  installFaultHandlers();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t] {
      Executor executor;
      ASSERT_TRUE(executor.enter());
      ASSERT_TRUE(executor.hasStack());
      std::uint64_t out[2] = {};
      TestArgs args{out, 1};
      LaunchParams params = testParams(args, 2);
      WorkerContext context{};
      for (int i = 0; i < 50; ++i) {
        const char* kernel = (i + t) % 3 == 0 ? "overflow" : "write_unmapped";
        EXPECT_TRUE(guardedCall(executor, testKernel(kernel).function(), &params, &context, 0, 2));
      }
      executor.leave();
    });
  for (std::thread& thread : threads)
    thread.join();
}

TEST(Faults, AForkedChildHasHandlersToo) {
  installFaultHandlers();
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    installFaultHandlers();
    Executor executor;
    std::uint64_t out[2] = {};
    TestArgs args{out, 1};
    LaunchParams params = testParams(args, 2);
    WorkerContext context{};
    if (!executor.enter() || !executor.hasStack()) _exit(1);
    _exit(guardedCall(executor, testKernel("write_unmapped").function(), &params, &context, 0, 2) ? 42 : 43);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

} // namespace
} // namespace clotho::cpu
