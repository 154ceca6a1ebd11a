// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of a GPU under several threads, by the fake driver.
#include "base/mutex.hpp"
#include "command/node.hpp"
#include "device/cuda/cuda_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace clotho {

const cl_icd_dispatch* const kDispatch = nullptr; // instead of the API's

} // namespace clotho

namespace clotho::test {

namespace {

std::atomic<int> ended{0};

class Marker final : public Node {
 public:
  explicit Marker(DeviceQueue& queue) : Node(&queue, work_, state_, /*isTimed=*/false) { setHome(1); }
  void report(std::string, LogLevel) noexcept override {}

  cl_int wait(Helping& helping) {
    const auto isWanted = [](const Node& node, const void* waited) {
      return node.deviceQueue() == static_cast<const Marker*>(waited)->deviceQueue();
    };
    const auto isOver = [](const void* waited) { return static_cast<const Marker*>(waited)->isDone(); };
    if (!isDone()) helping.help(isWanted, isOver, this);
    if (!isDone()) sleepUntilDone();
    return status();
  }

 private:
  void ended(cl_int, WorkList&) noexcept override { test::ended.fetch_add(1, std::memory_order_relaxed); }

  Command work_;
  DeviceState state_;
};

Ref<Marker> run(DeviceQueue& queue, const std::vector<Ref<Marker>>& after, bool isWatched) {
  auto node = Ref<Marker>::adopt(new Marker(queue));
  node->reserveDependencies(after.size());
  node->holdItself();
  if (isWatched) node->setWatched();
  for (const Ref<Marker>& each : after)
    if (each) node->dependOn(*each, /*passesFailure=*/true);
  node->arm();
  return node;
}

// Some commands follow those of a queue that all threads use; each thread's own queues come and go.
TEST(StreamsTest, ThreadsPutCommandsIntoStreamsAndWaitAtOnce) {
  const std::vector<Ref<Device>> devices = makeCudaDevices();
  ASSERT_EQ(devices.size(), 1U);
  Device& device = *devices.front();
  const std::unique_ptr<DeviceQueue> common = device.makeQueue({});
  Mutex mutex;
  Ref<Marker> lastInCommon;
  constexpr int kThreads = 4, kQueues = 12, kCommands = 100;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kQueues; ++i) {
        const std::unique_ptr<DeviceQueue> own = device.makeQueue({});
        Ref<Marker> last;
        for (int k = 0; k < kCommands; ++k) {
          std::vector<Ref<Marker>> after{last};
          if ((k + thread) % 10 == 0) {
            MutexLock lock(mutex);
            lastInCommon = run(*common, {lastInCommon, last}, k % 20 == 0);
            after.push_back(lastInCommon);
          }
          last = run(*own, after, k % 7 == 0);
          if (k % 30 == 0) EXPECT_EQ(last->wait(*device.helping()), CL_COMPLETE);
        }
        EXPECT_EQ(last->wait(*device.helping()), CL_COMPLETE);
      }
    });
  for (std::thread& each : threads)
    each.join();
  EXPECT_EQ(lastInCommon->wait(*device.helping()), CL_COMPLETE);
  // The thread of the device may still be at it.
  constexpr int kAll = kThreads * kQueues * (kCommands + kCommands / 10);
  for (int i = 0; i < 2000 && ended.load() != kAll; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(ended.load(), kAll);
}

} // namespace

} // namespace clotho::test
