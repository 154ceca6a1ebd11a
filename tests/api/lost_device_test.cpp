// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device that is lost when a kernel faults, as GPUs are, beside one that is not: CLOTHO_CPU_DEVICES=mortal,near.
#include "two_devices.hpp"

#include <array>
#include <vector>

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
  kernel void add(global uint* words, uint number) { words[get_global_id(0)] += number; }
  kernel void fault(global uint* words, uint number) { *(global uint*)(ulong)number = words[0]; }
)";

class LostDeviceTest : public TwoDevices {
 protected:
  void SetUp() override { setUp(kSource, CL_QUEUE_PROFILING_ENABLE); }
  void kill() {
    const Owned<cl_mem> buffer = zeros();
    const Owned<cl_event> event = launch(queue_, kernel("fault", buffer, 0x1230));
    cl_event raw = event.get();
    EXPECT_EQ(clWaitForEvents(1, &raw), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EXPECT_EQ(statusOf(raw), CL_OUT_OF_RESOURCES);
  }
};

// Each test is a process of its own: the device does not come back.

TEST_F(LostDeviceTest, FailsEachCommandAndNothingHangs) {
  const Owned<cl_mem> buffer = zeros(), other = zeros();
  const Owned<cl_kernel> add = kernel("add", buffer, 1);
  launch(queue_, add); // its bytes are in the device's memory from then on
  ASSERT_EQ(clFinish(queue_.get()), CL_SUCCESS);
  const Owned<cl_event> start = makeUserEvent();
  // What is issued behind the fault, what waits for it, and what comes later.
  std::vector<Owned<cl_event>> events;
  const Owned<cl_event> fault = launch(queue_, kernel("fault", other, 0x1230), start.get());
  for (int i = 0; i < 100; ++i)
    events.push_back(launch(queue_, add));
  const Owned<cl_event> ofList = launch(queue_, add, fault.get());
  const Owned<cl_event> onNear = launch(nearQueue_, kernel("add", other, 1), fault.get());
  ASSERT_EQ(clSetUserEventStatus(start.get(), CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_.get()), CL_OUT_OF_RESOURCES);
  ASSERT_EQ(clFinish(nearQueue_.get()), CL_SUCCESS);
  EXPECT_EQ(statusOf(fault.get()), CL_OUT_OF_RESOURCES);
  for (const Owned<cl_event>& each : events)
    EXPECT_EQ(statusOf(each.get()), CL_OUT_OF_RESOURCES);
  EXPECT_LT(statusOf(ofList.get()), 0);
  EXPECT_EQ(statusOf(onNear.get()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);

  EXPECT_FALSE(value<cl_bool>(CL_DEVICE_AVAILABLE));
  const Owned<cl_event> later = launch(queue_, add);
  const cl_uint pattern = 3;
  cl_event filled = nullptr;
  EXPECT_EQ(clEnqueueFillBuffer(queue_.get(), other.get(), &pattern, 4, 0, kWords * 4, 0, nullptr, &filled),
            CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_.get()), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(statusOf(later.get()), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(statusOf(filled), CL_OUT_OF_RESOURCES);
  clReleaseEvent(filled);
  Words words(kWords);
  EXPECT_LT(clEnqueueReadBuffer(queue_.get(), buffer.get(), CL_TRUE, 0, kWords * 4, words.data(), 0, nullptr, nullptr),
            0);
  EXPECT_LT(
      clEnqueueReadBuffer(nearQueue_.get(), buffer.get(), CL_TRUE, 0, kWords * 4, words.data(), 0, nullptr, nullptr), 0)
      << "its bytes were in the lost memory";
}

TEST_F(LostDeviceTest, LeavesOthersAlive) {
  kill();
  const Owned<cl_mem> buffer = zeros();
  launch(nearQueue_, kernel("add", buffer, 5));
  Words words(kWords);
  ASSERT_EQ(
      clEnqueueReadBuffer(nearQueue_.get(), buffer.get(), CL_TRUE, 0, kWords * 4, words.data(), 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(words, Words(kWords, 5));
  EXPECT_EQ(value<cl_bool>(CL_DEVICE_AVAILABLE), CL_FALSE);
}

TEST_F(LostDeviceTest, IsRefusedForNewObjects) {
  cl_device_id part = nullptr;
  const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0};
  ASSERT_EQ(clCreateSubDevices(device_, counts, 1, &part, nullptr), CL_SUCCESS);
  kill();
  for (cl_device_id device : {device_, part}) {
    cl_bool isAvailable = CL_TRUE;
    EXPECT_EQ(clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof isAvailable, &isAvailable, nullptr), CL_SUCCESS);
    EXPECT_FALSE(isAvailable);
    cl_int status = CL_SUCCESS;
    EXPECT_EQ(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status), nullptr);
    EXPECT_EQ(status, CL_DEVICE_NOT_AVAILABLE);
  }
  clReleaseDevice(part);
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreateCommandQueueWithProperties(context_.get(), device_, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_DEVICE_NOT_AVAILABLE);
  status = CL_SUCCESS;
  EXPECT_EQ(clCreateCommandQueue(context_.get(), device_, 0, &status), nullptr);
  EXPECT_EQ(status, CL_DEVICE_NOT_AVAILABLE);
  // By type, the others are meant.
  const Owned<cl_context> rest(clCreateContextFromType(nullptr, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, rest.get(), CL_CONTEXT_DEVICES)),
            std::vector<cl_device_id>{near_});
}

class LostDeviceAloneTest : public DeviceApi {};

TEST_F(LostDeviceAloneTest, LeavesNone) {
  const Owned<cl_mem> buffer = makeBuffer(64);
  const Owned<cl_kernel> fault = makeKernel(kSource, "fault");
  cl_mem memory = buffer.get();
  const cl_uint nowhere = 0x1230;
  ASSERT_EQ(clSetKernelArg(fault.get(), 0, sizeof memory, &memory), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(fault.get(), 1, sizeof nowhere, &nowhere), CL_SUCCESS);
  const size_t one = 1;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_.get(), fault.get(), 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_.get()), CL_OUT_OF_RESOURCES);
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreateContextFromType(nullptr, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_DEVICE_NOT_AVAILABLE);
}

// CLOTHO_DEVICES=joint,cpu makes one device of both.
class LostJointTest : public DeviceApi {
 protected:
  static constexpr size_t kWords = 1024;
  using Words = std::array<cl_uint, kWords>;

  Owned<cl_mem> over(Words& words) { return makeBuffer(sizeof words, CL_MEM_USE_HOST_PTR, words.data()); }
  static Owned<cl_event> launch(cl_command_queue queue, cl_program program, const char* name, cl_mem buffer,
                                cl_uint number, cl_event after = nullptr) {
    Owned<cl_kernel> kernel = clCreateKernel(program, name, nullptr);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof number, &number), CL_SUCCESS);
    cl_event event = nullptr;
    const size_t local = 64;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kWords, &local, after ? 1 : 0,
                                     after ? &after : nullptr, &event),
              CL_SUCCESS);
    return event;
  }
};

// The member that stays works in the application's memory, where it can be seen what it has computed: its part is the
// last one.
TEST_F(LostJointTest, RunsNoPartsOnTheOthers) {
  std::array<cl_device_id, 3> devices{};
  ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, devices.size(), devices.data(), nullptr), CL_SUCCESS);
  cl_int status = CL_SUCCESS;
  context_ = clCreateContext(nullptr, devices.size(), devices.data(), nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  queue_ = makeQueue(0);
  const Owned<cl_command_queue> second = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const Owned<cl_command_queue> near = clCreateCommandQueueWithProperties(context_, devices[2], nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const Owned<cl_program> program = buildProgram(kSource);
  alignas(4096) Words words{}, others{}, ofSecond{}, ofNear{};
  const Owned<cl_mem> buffer = over(words), other = over(others), bufferOfSecond = over(ofSecond),
                      bufferOfNear = over(ofNear);
  launch(queue_, program, "add", buffer, 1);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  ASSERT_EQ(words.front(), 0u) << "the lost member's part is in its memory";
  ASSERT_EQ(words.back(), 1u);

  const Owned<cl_event> start = makeUserEvent();
  const Owned<cl_event> fault = launch(queue_, program, "fault", other, 0x1230, start);
  std::vector<Owned<cl_event>> behind;
  for (int i = 0; i < 100; ++i)
    behind.push_back(launch(queue_, program, "add", buffer, 1));
  ASSERT_EQ(clSetUserEventStatus(start, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(statusOf(fault), CL_OUT_OF_RESOURCES);
  for (const Owned<cl_event>& each : behind)
    EXPECT_EQ(statusOf(each), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(words.back(), 1u);

  const Owned<cl_event> later = launch(second, program, "add", bufferOfSecond, 1);
  ASSERT_EQ(clFinish(second), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(statusOf(later), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(ofSecond.back(), 0u);
  launch(near, program, "add", bufferOfNear, 1);
  ASSERT_EQ(clFinish(near), CL_SUCCESS);
  EXPECT_EQ(ofNear.back(), 1u);
}

} // namespace

} // namespace clotho::test
