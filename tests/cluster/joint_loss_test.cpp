// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A node that is killed while its device is one of those that a joint device is made of: CLOTHO_DEVICES=joint,node,cpu.
#include "fixture.hpp"
#include "node_process.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>
#include <vector>

namespace clotho::test {

namespace {

// `spin` runs whole, on the first member.
constexpr const char* kSource = R"(
  kernel void add(global uint* words, uint number) { words[get_global_id(0)] += number; }
  kernel void count(global uint* words, uint number) {
    uint word = words[get_global_id(0)];
    for (uint i = 0; i < number; ++i)
      word = word * word + i;
    words[get_global_id(0)] += word == 0x12345678 ? 2 : 1;
  }
  kernel void spin(global uint* words, uint number) {
    for (uint i = 0; i < number; ++i)
      for (uint k = 0; k < 4000000000u; ++k)
        if (*(volatile global uint*)words == 0xffffffff) return;
  }
)";

class JointLossTest : public Api {
 protected:
  static constexpr size_t kWords = 4096;
  using Words = std::vector<cl_uint>;
  using Clock = std::chrono::steady_clock;
  /// Longer than the two seconds that are promised, for machines that are busy with other tests.
  static constexpr std::chrono::seconds kSoon{6};

  static void SetUpTestSuite() {
    node_ = new NodeProcess;
    ASSERT_TRUE(node_->isReady());
    Api::SetUpTestSuite();
  }
  static void TearDownTestSuite() { delete std::exchange(node_, nullptr); }

  Owned<cl_mem> zeros() {
    Words words(kWords);
    return makeBuffer(kWords * sizeof(cl_uint), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, words.data());
  }
  static Owned<cl_event> launch(cl_command_queue queue, cl_program program, const char* name, cl_mem buffer,
                                cl_uint number) {
    Owned<cl_kernel> kernel = clCreateKernel(program, name, nullptr);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof number, &number), CL_SUCCESS);
    cl_event event = nullptr;
    const size_t local = 64;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kWords, &local, 0, nullptr, &event), CL_SUCCESS);
    return event;
  }
  static cl_int read(cl_command_queue queue, cl_mem buffer, Words& words) {
    words.resize(kWords);
    return clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, kWords * sizeof(cl_uint), words.data(), 0, nullptr, nullptr);
  }

  static NodeProcess* node_;
};
NodeProcess* JointLossTest::node_ = nullptr;

TEST_F(JointLossTest, AKilledNode) {
  std::array<cl_device_id, 3> devices{};
  ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, devices.size(), devices.data(), nullptr), CL_SUCCESS);
  ASSERT_TRUE(isOfNode(devices[1]));
  Owned<cl_program> program = buildProgram(kSource);
  const Owned<cl_mem> buffer = zeros(), other = zeros();
  launch(queue_, program, "add", buffer, 1);
  Words words;
  ASSERT_EQ(read(queue_, buffer, words), CL_SUCCESS);
  EXPECT_EQ(words, Words(kWords, 1));
  launch(queue_, program, "add", buffer, 1); // one part of its bytes is at the node
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  const Owned<cl_event> running = launch(queue_, program, "spin", other, 1000);
  const Owned<cl_event> behind = launch(queue_, program, "add", other, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_GT(statusOf(running), CL_COMPLETE);

  const auto begin = Clock::now();
  node_->signal(SIGKILL);
  ASSERT_EQ(clFinish(queue_), CL_OUT_OF_RESOURCES);
  EXPECT_LT(Clock::now() - begin, kSoon);
  EXPECT_EQ(statusOf(running), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(statusOf(behind), CL_OUT_OF_RESOURCES);
  EXPECT_LT(read(queue_, buffer, words), 0) << "some of its bytes were at the node";
  EXPECT_FALSE(valueAnswer<cl_bool>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_AVAILABLE)));
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_DEVICE_NOT_AVAILABLE);

  // The other member works by itself.
  const Owned<cl_context> near = clCreateContext(nullptr, 1, &devices[2], nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(near, devices[2], nullptr, &status);
  const char* source = kSource;
  const Owned<cl_program> fresh = clCreateProgramWithSource(near, 1, &source, nullptr, &status);
  ASSERT_EQ(clBuildProgram(fresh, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  words.assign(kWords, 7);
  const Owned<cl_mem> own = clCreateBuffer(near, CL_MEM_COPY_HOST_PTR, kWords * sizeof(cl_uint), words.data(), &status);
  launch(queue, fresh, "add", own, 5);
  ASSERT_EQ(read(queue, own, words), CL_SUCCESS);
  EXPECT_EQ(words, Words(kWords, 12));
}

// The CPU's part, which is the last one, is in the application's memory and tells how many steps have been computed.
TEST_F(JointLossTest, AChainOfLaunchesEndsThere) {
  constexpr cl_uint kSteps = 2000, kSquares = 200'000;
  constexpr size_t kRunBefore = 3;
  Owned<cl_program> program = buildProgram(kSource);
  alignas(4096) std::array<cl_uint, kWords> words{};
  const Owned<cl_mem> buffer = makeBuffer(sizeof words, CL_MEM_USE_HOST_PTR, words.data());
  std::vector<Owned<cl_event>> steps;
  for (cl_uint i = 0; i < kSteps; ++i)
    steps.push_back(launch(queue_, program, "count", buffer, kSquares));
  cl_event early = steps[kRunBefore - 1];
  ASSERT_EQ(clWaitForEvents(1, &early), CL_SUCCESS);
  node_->signal(SIGKILL);
  ASSERT_EQ(clFinish(queue_), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(statusOf(steps.back()), CL_OUT_OF_RESOURCES);
  EXPECT_GE(words.back(), kRunBefore) << "the CPU has no part";
  EXPECT_LT(words.back(), kSteps / 2) << "the CPU computes steps of a lost device";
  EXPECT_EQ(words.front(), 0u) << "the node has no part";
}

} // namespace
} // namespace clotho::test
