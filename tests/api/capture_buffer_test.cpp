// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of command buffers that are captured (CLOTHO_CAPTURE).
#include "captures.hpp"
#include "command_buffers.hpp"

namespace clotho::test {
namespace {

class CaptureBufferTest : public Api {
 protected:
  static void SetUpTestSuite() {
    removeOldFiles();
    Api::SetUpTestSuite();
  }
  TestBuffer record(const std::vector<cl_command_queue>& queues) {
    cl_int status = CL_SUCCESS;
    const cl_command_buffer_khr handle =
        calls_.clCreateCommandBufferKHR(static_cast<cl_uint>(queues.size()), queues.data(), nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return TestBuffer(calls_, handle);
  }
  Owned<cl_kernel> kernelNamed(const std::string& name) {
    return makeKernel(
        ("kernel void " + name + "(global int* a) { a[get_global_id(0)] += get_global_size(0); }").c_str(),
        name.c_str());
  }
  Owned<cl_mem> zeros() {
    std::vector<cl_int> values(64);
    return makeBuffer(values.size() * sizeof(cl_int), CL_MEM_COPY_HOST_PTR, values.data());
  }
  std::vector<cl_int> contents(cl_mem buffer) {
    std::vector<cl_int> values(64);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, values.size() * sizeof(cl_int), values.data(), 0, nullptr,
                                  nullptr),
              CL_SUCCESS);
    return values;
  }
  static void setArgument(cl_kernel kernel, cl_mem buffer) {
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
  }

  const CommandBufferCalls calls_{platform_};
};

TEST_F(CaptureBufferTest, EachLaunchIsOne) {
  Owned<cl_kernel> kernel = kernelNamed("buffered");
  Owned<cl_mem> a = zeros();
  setArgument(kernel, a);
  TestBuffer buffer = record({queue_});
  buffer.launch(kernel, 64);
  buffer.fill(a, 5, 32 * sizeof(cl_int), {});
  TestBuffer::Place grouped;
  grouped.local = 8;
  buffer.launch(kernel, 16, grouped);
  buffer.finalize();
  for (int i = 0; i < 2; ++i) {
    Owned<cl_event> done;
    buffer.enqueue(done.out());
    EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, done.get(), CL_EVENT_COMMAND_TYPE)),
              static_cast<cl_command_type>(CL_COMMAND_COMMAND_BUFFER_KHR));
    EXPECT_EQ(clWaitForEvents(1, one(done).data()), CL_SUCCESS);
  }
  CAPTURE_OF(first, "buffered", 1);
  CAPTURE_OF(second, "buffered", 2);
  CAPTURE_OF(third, "buffered", 3);
  CAPTURE_OF(fourth, "buffered", 4);
  EXPECT_EQ(numbers<cl_int>(first->inputs.at(0)), std::vector<cl_int>(64));
  EXPECT_EQ(numbers<cl_int>(first->outputs.at(0)), std::vector<cl_int>(64, 64));
  EXPECT_FALSE(first->description.range.hasLocal);
  EXPECT_EQ(numbers<cl_int>(second->inputs.at(0)).at(0), 5);
  EXPECT_EQ(numbers<cl_int>(second->outputs.at(0)).at(0), 5 + 16);
  EXPECT_EQ(numbers<cl_int>(second->outputs.at(0)).at(16), 5);
  EXPECT_TRUE(second->description.range.hasLocal);
  EXPECT_EQ(second->description.range.local[0], 8u);
  EXPECT_EQ(numbers<cl_int>(third->inputs.at(0)).at(0), 5 + 16);
  EXPECT_EQ(numbers<cl_int>(third->inputs.at(0)).at(63), 64);
  EXPECT_EQ(numbers<cl_int>(fourth->outputs.at(0)).at(0), 5 + 16);
  EXPECT_EQ(contents(a).at(63), 128);
}

/// Sync points and barriers order the commands of a buffer as they do without captures.
TEST_F(CaptureBufferTest, SeveralQueuesOutOfOrder) {
  Owned<cl_kernel> kernel = kernelNamed("crossing");
  Owned<cl_mem> a = zeros();
  setArgument(kernel, a);
  Owned<cl_command_queue> first = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), second = makeQueue(0);
  TestBuffer buffer = record({first.get(), second.get()});
  TestBuffer::Place at;
  at.queue = first;
  const cl_sync_point_khr filled = buffer.fill(a, 7, 64 * sizeof(cl_int), at);
  at.queue = second;
  at.after = {filled};
  const cl_sync_point_khr added = buffer.launch(kernel, 64, at);
  at.queue = first;
  at.after = {added};
  buffer.launch(kernel, 32, at);
  buffer.finalize();
  Owned<cl_event> gate = makeUserEvent(), done;
  buffer.enqueue(done.out(), {gate.get()});
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, one(done).data()), CL_SUCCESS);
  EXPECT_EQ(clFinish(second), CL_SUCCESS);
  CAPTURE_OF(former, "crossing", 1);
  CAPTURE_OF(latter, "crossing", 2);
  EXPECT_EQ(numbers<cl_int>(former->inputs.at(0)), std::vector<cl_int>(64, 7));
  EXPECT_EQ(numbers<cl_int>(latter->inputs.at(0)), std::vector<cl_int>(64, 7 + 64));
  EXPECT_EQ(contents(a).at(0), 7 + 64 + 32);
  EXPECT_EQ(contents(a).at(63), 7 + 64);
}

/// Only the fifth launch of a kernel is chosen here, in the third run of a buffer with two.
class CaptureSecondTest : public CaptureBufferTest {};

TEST_F(CaptureSecondTest, LaunchesAreCounted) {
  Owned<cl_kernel> kernel = kernelNamed("counted");
  Owned<cl_mem> a = zeros();
  setArgument(kernel, a);
  TestBuffer buffer = record({queue_});
  buffer.launch(kernel, 64);
  buffer.launch(kernel, 64);
  buffer.finalize();
  for (int i = 0; i < 4; ++i)
    buffer.enqueue();
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  CAPTURE_OF(fifth, "counted", 5);
  EXPECT_EQ(numbers<cl_int>(fifth->inputs.at(0)).at(0), 4 * 64);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 1);
  EXPECT_EQ(contents(a).at(0), 8 * 64);
}

} // namespace
} // namespace clotho::test
