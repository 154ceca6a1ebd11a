// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores that several threads signal and wait for.
#include "semaphores.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace clotho::test {

using SemaphoreThreadsTest = SemaphoreApi;

// Two threads hand a number to and fro, each on a queue of its own, without ever waiting on the host.
TEST_F(SemaphoreThreadsTest, ThreadsTakeTurns) {
  constexpr cl_uint kTurns = 2000;
  const Semaphore mine = make(), yours = make();
  Owned<cl_mem> number = makeBuffer(sizeof(cl_uint));
  const cl_uint zero = 0;
  ASSERT_EQ(clEnqueueWriteBuffer(queue_, number, CL_TRUE, 0, sizeof zero, &zero, 0, nullptr, nullptr), CL_SUCCESS);
  std::array<Owned<cl_command_queue>, 2> queues = {makeQueue(), makeQueue()};
  std::array<Owned<cl_kernel>, 2> kernels = {
      makeKernel("kernel void k(global uint* n) { if (*n % 2 == 0) *n += 1; }", "k"),
      makeKernel("kernel void k(global uint* n) { if (*n % 2 == 1) *n += 1; }", "k")};
  cl_mem raw = number;
  for (const auto& kernel : kernels)
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  std::atomic<cl_int> failure{CL_SUCCESS};
  std::array<std::atomic<cl_uint>, 2> waits{}; // that each has enqueued
  const auto play = [&](size_t who) {
    const size_t one = 1;
    cl_semaphore_khr before = (who == 0 ? yours : mine).get(), after = (who == 0 ? mine : yours).get();
    const auto note = [&](cl_int status) {
      if (status != CL_SUCCESS) failure = status;
    };
    for (cl_uint turn = 0; turn < kTurns; ++turn) {
      if (who == 1 || turn > 0) {
        note(wait_(queues[who], 1, &before, nullptr, 0, nullptr, nullptr));
        ++waits[who];
      }
      note(clEnqueueNDRangeKernel(queues[who], kernels[who], 1, nullptr, &one, nullptr, 0, nullptr, nullptr));
      // A binary semaphore has room for one signal that no command has waited for.
      while (waits[1 - who] < turn)
        std::this_thread::yield();
      note(signal_(queues[who], 1, &after, nullptr, 0, nullptr, nullptr));
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  for (const auto& queue : queues)
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(failure, CL_SUCCESS);
  cl_uint result = 0;
  ASSERT_EQ(clEnqueueReadBuffer(queue_, number, CL_TRUE, 0, sizeof result, &result, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(result, 2 * kTurns);
}

// Whatever the order in which threads enqueue, each wait gets a signal.
// The first of the waits in a queue has to take the first signal, or it would wait for one that may never come.
TEST_F(SemaphoreThreadsTest, WaitsOfThreadsMeetSignalsInTheOrderOfTheirQueue) {
  constexpr int kWaits = 500;
  const Semaphore semaphore = make();
  const Owned<cl_command_queue> waiting = makeQueue(), signalling = makeQueue();
  cl_semaphore_khr raw = semaphore.get();
  std::atomic<int> failures{0};
  // A long list of events that are done already keeps one of the threads in its call.
  Owned<cl_event> done;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(signalling, 0, nullptr, done.out()), CL_SUCCESS);
  ASSERT_EQ(clFinish(signalling), CL_SUCCESS);
  const std::vector<cl_event> longList(2000, done);
  std::array<std::thread, 2> threads;
  for (std::size_t who = 0; who < threads.size(); ++who)
    threads[who] = std::thread([&, count = static_cast<cl_uint>(who == 0 ? longList.size() : 0)] {
      for (int i = 0; i < kWaits; ++i)
        if (wait_(waiting, 1, &raw, nullptr, count, count ? longList.data() : nullptr, nullptr) != CL_SUCCESS)
          ++failures;
    });
  for (std::thread& thread : threads)
    thread.join();
  ASSERT_EQ(failures, 0);
  // All of them are enqueued. As long as one is not done, one signal more makes one more of them done.
  for (int i = 0; i < 2 * kWaits; ++i) {
    ASSERT_EQ(signal_(signalling, 1, &raw, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (clFinish(signalling) == CL_SUCCESS && payload(semaphore) != 0 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
    ASSERT_EQ(payload(semaphore), 0u) << "nobody took signal " << i;
  }
  EXPECT_EQ(clFinish(waiting), CL_SUCCESS);
}

TEST_F(SemaphoreThreadsTest, ThreadsAtOneSemaphore) {
  constexpr int kEach = 5000;
  const Semaphore semaphore = make();
  cl_semaphore_khr raw = semaphore.get();
  std::atomic<int> waits{0};
  std::thread waiter([&] {
    Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (int i = 0; i < kEach; ++i) {
      EXPECT_EQ(wait_(queue, 1, &raw, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
      ++waits;
    }
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  });
  for (int i = 0; i < kEach; ++i) {
    while (waits < i) // at most one signal is without a wait
      std::this_thread::yield();
    EXPECT_EQ(signal_(queue_, 1, &raw, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  }
  waiter.join();
  EXPECT_EQ(payload(semaphore), 0u);
}

} // namespace clotho::test
