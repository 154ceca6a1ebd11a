// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A node that is killed or stands still while a program uses it, beside the processor: CLOTHO_DEVICES=node,cpu. Each
// test is a process of its own, since the node's device does not come back.
#include "node_process.hpp"
#include "two_devices.hpp"

#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
  kernel void add(global uint* words, uint number) { words[get_global_id(0)] += number; }
  kernel void spin(global uint* words, uint number) {
    for (uint i = 0; i < number; ++i)
      for (uint k = 0; k < 4000000000u; ++k)
        if (*(volatile global uint*)words == 0xffffffff) return;
  }
)";
using Clock = std::chrono::steady_clock;

/// Longer than the two seconds that are promised, for machines that are busy with other tests.
constexpr std::chrono::seconds kSoon{6};

class NodeLossTest : public TwoDevices {
 protected:
  static void SetUpTestSuite() {
    node_ = new NodeProcess;
    ASSERT_TRUE(node_->isReady());
    Api::SetUpTestSuite();
  }
  static void TearDownTestSuite() { delete std::exchange(node_, nullptr); }
  void SetUp() override {
    setUp(kSource);
    ASSERT_TRUE(isOfNode(device_));
  }
  cl_int read(const Owned<cl_command_queue>& queue, const Owned<cl_mem>& buffer, Words& words) {
    words.resize(kWords);
    return clEnqueueReadBuffer(queue.get(), buffer.get(), CL_TRUE, 0, kWords * 4, words.data(), 0, nullptr, nullptr);
  }
  /// Something is under way and more waits for it when the node gets the signal.
  void expectLossBy(int signal);
  void expectOthersWork() {
    const Owned<cl_mem> fresh = zeros();
    launch(nearQueue_, kernel("add", fresh, 5));
    Words words;
    ASSERT_EQ(read(nearQueue_, fresh, words), CL_SUCCESS);
    EXPECT_EQ(words, Words(kWords, 5));
  }

  static NodeProcess* node_;
};
NodeProcess* NodeLossTest::node_ = nullptr;

void NodeLossTest::expectLossBy(int signal) {
  const Owned<cl_mem> buffer = zeros(), other = zeros();
  const Owned<cl_kernel> add = kernel("add", buffer, 1);
  launch(queue_, add); // its bytes are in the node's memory from then on
  ASSERT_EQ(clFinish(queue_.get()), CL_SUCCESS);
  const Owned<cl_event> running = launch(queue_, kernel("spin", other, 1000));
  std::vector<Owned<cl_event>> behind;
  for (int i = 0; i < 50; ++i)
    behind.push_back(launch(queue_, add));
  const Owned<cl_event> onNear = launch(nearQueue_, kernel("add", other, 1), running.get());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_GT(statusOf(running.get()), CL_COMPLETE);

  const auto begin = Clock::now();
  node_->signal(signal);
  ASSERT_EQ(clFinish(queue_.get()), CL_OUT_OF_RESOURCES);
  EXPECT_LT(Clock::now() - begin, kSoon);
  EXPECT_EQ(statusOf(running.get()), CL_OUT_OF_RESOURCES);
  for (const Owned<cl_event>& each : behind)
    EXPECT_EQ(statusOf(each.get()), CL_OUT_OF_RESOURCES);
  ASSERT_EQ(clFinish(nearQueue_.get()), CL_SUCCESS);
  EXPECT_EQ(statusOf(onNear.get()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);

  EXPECT_FALSE(value<cl_bool>(CL_DEVICE_AVAILABLE));
  const Owned<cl_event> late = launch(queue_, add);
  EXPECT_EQ(clFinish(queue_.get()), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(statusOf(late.get()), CL_OUT_OF_RESOURCES);
  Words words;
  EXPECT_LT(read(queue_, buffer, words), 0);
  EXPECT_LT(read(nearQueue_, buffer, words), 0) << "its bytes were at the node";
  expectOthersWork();
}

TEST_F(NodeLossTest, AKilledNode) { expectLossBy(SIGKILL); }

TEST_F(NodeLossTest, ANodeThatStandsStill) { expectLossBy(SIGSTOP); }

TEST_F(NodeLossTest, IsRefusedForNewObjects) {
  const Owned<cl_mem> buffer = zeros();
  launch(queue_, kernel("add", buffer, 1));
  ASSERT_EQ(clFinish(queue_.get()), CL_SUCCESS);
  node_->signal(SIGKILL);
  for (const auto begin = Clock::now(); value<cl_bool>(CL_DEVICE_AVAILABLE) && Clock::now() - begin < kSoon;)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_DEVICE_NOT_AVAILABLE);
  EXPECT_EQ(clCreateCommandQueueWithProperties(context_.get(), device_, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_DEVICE_NOT_AVAILABLE);
  const Owned<cl_program> late = makeProgram(kSource);
  EXPECT_NE(clBuildProgram(late.get(), 1, &device_, "", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clBuildProgram(late.get(), 1, &near_, "", nullptr, nullptr), CL_SUCCESS);
  expectOthersWork();
}

TEST_F(NodeLossTest, LargeCopiesEndToo) {
  constexpr size_t kBytes = size_t{64} << 20;
  std::vector<std::byte> bytes(kBytes);
  const Owned<cl_mem> large = makeBuffer(kBytes);
  std::vector<Owned<cl_event>> copies;
  for (int i = 0; i < 6; ++i) {
    cl_event event = nullptr;
    ASSERT_EQ(clEnqueueWriteBuffer(queue_.get(), large.get(), CL_FALSE, 0, kBytes, bytes.data(), 0, nullptr, &event),
              CL_SUCCESS);
    copies.emplace_back(event);
  }
  node_->signal(SIGKILL);
  ASSERT_EQ(clFinish(queue_.get()), CL_OUT_OF_RESOURCES);
  EXPECT_LT(statusOf(copies.back().get()), 0);
  expectOthersWork();
}

TEST_F(NodeLossTest, AForkedChildHasNoNode) {
  const Owned<cl_mem> buffer = zeros();
  const pid_t child = fork();
  if (child == 0) {
    cl_int status = CL_SUCCESS;
    const bool isRefused = !clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    const bool hasOther = clCreateContext(nullptr, 1, &near_, nullptr, nullptr, nullptr) != nullptr;
    _exit(isRefused && status == CL_DEVICE_NOT_AVAILABLE && hasOther ? 0 : 1);
  }
  int exit = -1;
  ASSERT_EQ(waitpid(child, &exit, 0), child);
  EXPECT_EQ(exit, 0);
  launch(queue_, kernel("add", buffer, 3));
  Words words;
  ASSERT_EQ(read(queue_, buffer, words), CL_SUCCESS);
  EXPECT_EQ(words, Words(kWords, 3));
}

TEST_F(NodeLossTest, AProgramThatEndsLeavesTheNodeToOthers) {
  const pid_t child = fork();
  if (child == 0) {
    // Another program, as far as the node can tell: it has a session of its own, and ends in the middle of its work.
    execl("/proc/self/exe", "clotho-cluster-tests", "--gtest_filter=NodeGuestTest.EndsInTheMiddle",
          "--gtest_also_run_disabled_tests", nullptr);
    _exit(1);
  }
  int exit = 0;
  ASSERT_EQ(waitpid(child, &exit, 0), child);
  ASSERT_TRUE(WIFSIGNALED(exit)) << exit;
  ASSERT_TRUE(node_->isAlive());
  const Owned<cl_mem> buffer = zeros();
  launch(queue_, kernel("add", buffer, 3));
  Words words;
  ASSERT_EQ(read(queue_, buffer, words), CL_SUCCESS);
  EXPECT_EQ(words, Words(kWords, 3));
}

/// A part of the test above; by itself it has no node.
class NodeGuestTest : public Api {};

TEST_F(NodeGuestTest, EndsInTheMiddle) {
  if (!isOfNode()) GTEST_SKIP() << "there is no node";
  const Owned<cl_kernel> slow = makeKernel("kernel void slow(global uint* words) { for (uint i = 0; i < 100000u; ++i) "
                                           "words[get_global_id(0)] += i ^ words[0]; }",
                                           "slow");
  const Owned<cl_mem> buffer = makeBuffer(1 << 20);
  cl_mem memory = buffer.get();
  ASSERT_EQ(clSetKernelArg(slow.get(), 0, sizeof memory, &memory), CL_SUCCESS);
  const size_t items = 1 << 12;
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, slow.get(), 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFlush(queue_), CL_SUCCESS);
  raise(SIGKILL);
}

} // namespace
} // namespace clotho::test
