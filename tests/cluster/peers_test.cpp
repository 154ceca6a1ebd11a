// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One program on the devices of two other nodes, by clotho-several-nodes: CLOTHO_DEVICES=node.
#include "two_devices.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

namespace clotho::test {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kSoon{20};

constexpr const char* kSource = R"(
  kernel void add(global uint* words, uint number) { words[get_global_id(0)] += number; }
)";

class PeerTest : public TwoDevices {
 protected:
  void SetUp() override {
    setUp(kSource);
    ASSERT_TRUE(isOfNode(device_) && isOfNode(near_));
  }
  const Owned<cl_command_queue>& queueOf(int turn) { return turn % 2 == 0 ? queue_ : nearQueue_; }
  /// Adds one, so many times, by the two devices in turn.
  Owned<cl_event> addInTurn(const Owned<cl_mem>& buffer, int count) {
    Owned<cl_event> last;
    for (int i = 0; i < count; ++i)
      last = launch(queueOf(i), kernel("add", buffer, 1), last.get());
    return last;
  }
  /// Adds for as long as that goes well, and not for long. The status.
  cl_int addUntilItFails(const Owned<cl_mem>& buffer) {
    cl_int status = CL_SUCCESS;
    for (const auto begin = Clock::now(); status == CL_SUCCESS && Clock::now() - begin < kSoon;) {
      const Owned<cl_event> last = addInTurn(buffer, 10);
      status = std::min(finish(), statusOf(last.get()));
    }
    return status;
  }
  cl_int finish() { return std::min(clFinish(queue_.get()), clFinish(nearQueue_.get())); }
  Words read(const Owned<cl_mem>& buffer, const Owned<cl_command_queue>& queue) {
    Words words(kWords);
    EXPECT_EQ(clEnqueueReadBuffer(queue.get(), buffer.get(), CL_TRUE, 0, kWords * 4, words.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return words;
  }
};

TEST_F(PeerTest, KernelsInTurnCostOneDelayEach) {
  const char* delay = std::getenv("CLOTHO_TEST_DELAY_MS");
  if (!delay) GTEST_SKIP() << "there is no delay";
  const std::chrono::milliseconds way(std::atoi(delay));
  constexpr int kTurns = 20;
  const Owned<cl_mem> buffer = zeros();
  addInTurn(buffer, 2); // both have its memory and the program
  ASSERT_EQ(finish(), CL_SUCCESS);
  const auto begin = Clock::now();
  addInTurn(buffer, kTurns);
  ASSERT_EQ(finish(), CL_SUCCESS);
  const auto time = Clock::now() - begin;
  EXPECT_EQ(read(buffer, queue_), Words(kWords, kTurns + 2));
  EXPECT_GE(time, kTurns * way);
  EXPECT_LT(time, kTurns * way * 5 / 2) << "by way of the program it would be more than four delays each";
}

// What the gateway may have of it is an argument of clotho-several-nodes.
TEST_F(PeerTest, BytesPassTheProgramsNodeBy) {
  constexpr size_t kBytes = size_t{8} << 20;
  const Owned<cl_mem> buffer = makeBuffer(kBytes);
  const cl_uint one = 1;
  ASSERT_EQ(clEnqueueFillBuffer(queue_.get(), buffer.get(), &one, sizeof one, 0, kBytes, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_.get()), CL_SUCCESS);
  addInTurn(buffer, 9);
  ASSERT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(read(buffer, queue_), Words(kWords, 10));
  cl_uint last = 0;
  ASSERT_EQ(clEnqueueReadBuffer(queue_.get(), buffer.get(), CL_TRUE, kBytes - 4, 4, &last, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(last, 1u);
}

TEST_F(PeerTest, AFailureReachesTheOtherNode) {
  const Owned<cl_mem> buffer = zeros();
  ASSERT_EQ(finish(), CL_SUCCESS);
  cl_int status = CL_SUCCESS;
  const Owned<cl_event> gate(clCreateUserEvent(context_.get(), &status));
  ASSERT_EQ(status, CL_SUCCESS);
  const Owned<cl_event> first = launch(queue_, kernel("add", buffer, 1), gate.get()),
                        second = launch(nearQueue_, kernel("add", buffer, 1), first.get()),
                        third = launch(queue_, kernel("add", buffer, 1), second.get());
  ASSERT_EQ(clSetUserEventStatus(gate.get(), -7), CL_SUCCESS);
  finish();
  for (const Owned<cl_event>* each : {&first, &second, &third})
    EXPECT_EQ(statusOf(each->get()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(read(buffer, nearQueue_), Words(kWords, 0));
}

// The other node is cut off while both work; clotho-several-nodes does so.
TEST_F(PeerTest, ALostNodeLeavesTheOther) {
  ASSERT_LT(addUntilItFails(zeros()), 0) << "no node is lost";
  const auto isThere = [](cl_device_id device) {
    cl_bool there = CL_FALSE;
    EXPECT_EQ(clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof there, &there, nullptr), CL_SUCCESS);
    return there == CL_TRUE;
  };
  for (const auto begin = Clock::now(); isThere(device_) && isThere(near_) && Clock::now() - begin < kSoon;)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_NE(isThere(device_), isThere(near_));
  const Owned<cl_command_queue>& left = isThere(device_) ? queue_ : nearQueue_;
  const Owned<cl_mem> fresh = zeros();
  launch(left, kernel("add", fresh, 5));
  ASSERT_EQ(clFinish(left.get()), CL_SUCCESS);
  EXPECT_EQ(read(fresh, left), Words(kWords, 5));
}

// The two nodes are cut off from each other, and not from the program's; clotho-several-nodes does so.
TEST_F(PeerTest, NodesThatLoseEachOtherServeTheProgram) {
  ASSERT_LT(addUntilItFails(zeros()), 0) << "no node is lost";
  for (const Owned<cl_command_queue>* queue : {&queue_, &nearQueue_}) {
    const Owned<cl_mem> fresh = zeros();
    launch(*queue, kernel("add", fresh, 5));
    ASSERT_EQ(clFinish(queue->get()), CL_SUCCESS);
    EXPECT_EQ(read(fresh, *queue), Words(kWords, 5));
  }
}

} // namespace
} // namespace clotho::test
