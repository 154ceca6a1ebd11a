// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

namespace clotho::test {

namespace {

class QueueTest : public Api {
 protected:
  cl_int code(std::vector<cl_queue_properties> list) {
    cl_int status = 1;
    Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context_, device_, list.data(), &status);
    EXPECT_EQ(queue.get() == nullptr, status != CL_SUCCESS);
    return status;
  }
  cl_int legacyCode(cl_command_queue_properties properties) {
    cl_int status = 1;
    Owned<cl_command_queue> queue = clCreateCommandQueue(context_, device_, properties, &status);
    EXPECT_EQ(queue.get() == nullptr, status != CL_SUCCESS);
    return status;
  }
};

TEST_F(QueueTest, PropertyErrors) {
  constexpr cl_queue_properties kOutOfOrder = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  EXPECT_EQ(code({0}), CL_SUCCESS);
  EXPECT_EQ(code({CL_QUEUE_PROPERTIES, kOutOfOrder | CL_QUEUE_PROFILING_ENABLE, 0}), CL_SUCCESS);
  EXPECT_EQ(code({CL_QUEUE_PROPERTIES, 1u << 20, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({0x7777, 0, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0}), CL_INVALID_VALUE) << "in order on the device";
  EXPECT_EQ(code({CL_QUEUE_PROPERTIES, kOutOfOrder | CL_QUEUE_ON_DEVICE_DEFAULT, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({CL_QUEUE_SIZE, 1024, 0}), CL_INVALID_VALUE) << "of a queue on the host";
  EXPECT_EQ(code({CL_QUEUE_PROPERTIES, kOutOfOrder | CL_QUEUE_ON_DEVICE, 0}),
            hasDeviceQueues() ? CL_SUCCESS : CL_INVALID_QUEUE_PROPERTIES);
  EXPECT_EQ(legacyCode(0), CL_SUCCESS);
  EXPECT_EQ(legacyCode(kOutOfOrder | CL_QUEUE_PROFILING_ENABLE), CL_SUCCESS);
  EXPECT_EQ(legacyCode(1u << 20), CL_INVALID_VALUE);
  EXPECT_EQ(legacyCode(kOutOfOrder | CL_QUEUE_ON_DEVICE), CL_INVALID_QUEUE_PROPERTIES);
}

TEST_F(QueueTest, HandleErrors) {
  cl_int status;
  Foreign<cl_context> foreignContext(device_);
  Foreign<cl_device_id> foreignDevice(device_);
  EXPECT_EQ(clCreateCommandQueueWithProperties(foreignContext, device_, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreateCommandQueueWithProperties(context_, foreignDevice, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
  EXPECT_EQ(clCreateCommandQueue(foreignContext, device_, 0, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreateCommandQueue(context_, foreignDevice, 0, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
  Foreign<cl_command_queue> foreign(device_);
  EXPECT_EQ(clRetainCommandQueue(foreign), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clReleaseCommandQueue(foreign), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clFlush(foreign), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clFinish(foreign), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clGetCommandQueueInfo(foreign, CL_QUEUE_CONTEXT, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
}

TEST_F(QueueTest, Info) {
  cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_int status;
  Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context_, device_, list, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_context>(CLOTHO_INFO(clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT)), context_.get());
  EXPECT_EQ(valueAnswer<cl_device_id>(CLOTHO_INFO(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE)), device_);
  EXPECT_EQ(valueAnswer<cl_command_queue_properties>(CLOTHO_INFO(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES)),
            cl_bitfield{CL_QUEUE_PROFILING_ENABLE});
  EXPECT_EQ(listAnswer<cl_queue_properties>(CLOTHO_INFO(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES_ARRAY)),
            std::vector<cl_queue_properties>(list, list + 3));
  EXPECT_EQ(valueAnswer<cl_command_queue>(CLOTHO_INFO(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE_DEFAULT)), nullptr);
  cl_uint size;
  EXPECT_EQ(clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof size, &size, nullptr), CL_INVALID_COMMAND_QUEUE);
  checkInfoProtocol([&](cl_uint name, size_t bytes, void* value,
                        size_t* ret) { return clGetCommandQueueInfo(queue, name, bytes, value, ret); },
                    CL_QUEUE_DEVICE);

  Owned<cl_command_queue> legacy = clCreateCommandQueue(context_, device_, 0, &status);
  EXPECT_TRUE(
      listAnswer<cl_queue_properties>(CLOTHO_INFO(clGetCommandQueueInfo, legacy, CL_QUEUE_PROPERTIES_ARRAY)).empty());
}

TEST_F(QueueTest, CountsReferences) {
  auto count = [&] {
    return valueAnswer<cl_uint>(CLOTHO_INFO(clGetCommandQueueInfo, queue_, CL_QUEUE_REFERENCE_COUNT));
  };
  EXPECT_EQ(count(), 1u);
  EXPECT_EQ(clRetainCommandQueue(queue_), CL_SUCCESS);
  EXPECT_EQ(count(), 2u);
  EXPECT_EQ(clReleaseCommandQueue(queue_), CL_SUCCESS);
  EXPECT_EQ(count(), 1u);
}

TEST_F(QueueTest, WhatIsOfAnotherVersion) {
  EXPECT_EQ(clSetCommandQueueProperty(queue_, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context_, device_, queue_),
            hasDeviceQueues() ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_OPERATION);
}

TEST_F(QueueTest, FlushAndFinishOfAnEmptyQueue) {
  for (cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    Owned<cl_command_queue> queue = makeQueue(properties);
    EXPECT_EQ(clFlush(queue), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  }
}

TEST_F(QueueTest, ReleaseWithWorkPendingStillDoesIt) {
  for (cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    Owned<cl_mem> buffer = makeBuffer(4);
    Owned<cl_event> gate = makeUserEvent(), done;
    cl_uint value = 42, seen = 0;
    {
      Owned<cl_command_queue> queue = makeQueue(properties);
      cl_event wait = gate;
      ASSERT_EQ(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 4, &value, 1, &wait, done.out()), CL_SUCCESS);
    }
    EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    cl_event wait = done;
    EXPECT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(seen, 42u);
  }
}

} // namespace

} // namespace clotho::test
