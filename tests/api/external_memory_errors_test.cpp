// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The errors of cl_khr_external_memory and what belongs to it.
#include "external_memory.hpp"

#include <array>
#include <fcntl.h>
#include <unistd.h>

namespace clotho::test {

namespace {

class ExternalMemoryErrorsTest : public ExternalMemoryApi {};

} // namespace

TEST_F(ExternalMemoryErrorsTest, CreateErrors) {
  const Descriptor memory = makeMemory(kWords);
  const int fd = memory.get();
  const auto handle = static_cast<cl_mem_properties>(fd);
  constexpr cl_mem_properties kFile = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                              kDma = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR;
  constexpr cl_mem_properties kDevices = CL_MEM_DEVICE_HANDLE_LIST_KHR;
  const auto device = reinterpret_cast<cl_mem_properties>(device_);
  const cl_image_desc desc = image2D(10, 10);
  std::array<cl_uint, kWords> host{};
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const Descriptor reading(ends[0]), writing(ends[1]);
  Foreign<cl_device_id> foreign(device_);
  const auto both = [&](const Properties& properties, cl_int expected) {
    makeBuffer(properties, expected);
    makeImage(properties, desc, expected);
  };
  both({0x1234, 1, 0}, CL_INVALID_PROPERTY);
  both({kFile, handle, kFile, handle, 0}, CL_INVALID_PROPERTY);
  both({kFile, handle, kFile}, CL_INVALID_PROPERTY); // what comes behind the second name is not read
  both({kFile, handle, kDma, handle, 0}, CL_INVALID_PROPERTY);
  both({kDevices, device, 0, 0}, CL_INVALID_PROPERTY);
  both({kDma, handle, 0}, CL_INVALID_PROPERTY); // not one
  both({kFile, static_cast<cl_mem_properties>(reading.get()), 0}, CL_INVALID_PROPERTY);
  both({kFile, ~cl_mem_properties{0}, 0}, CL_INVALID_PROPERTY);
  both({kFile, 1'000'000, 0}, CL_INVALID_PROPERTY);
  both({kFile, handle | cl_mem_properties{1} << 40, 0}, CL_INVALID_PROPERTY);
  both({kFile, handle, kDevices, 0, 0}, CL_INVALID_DEVICE);
  both({kFile, handle, kDevices, device, reinterpret_cast<cl_mem_properties>(cl_device_id(foreign)), 0, 0},
       CL_INVALID_DEVICE);
  for (cl_mem_flags flags : {CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR}) {
    makeBuffer(imported(fd), CL_INVALID_VALUE, flags, kWords * 4, host.data());
    makeImage(imported(fd), desc, CL_INVALID_VALUE, flags, host.data());
  }
  makeBuffer(imported(fd), CL_INVALID_HOST_PTR, 0, kWords * 4, host.data());
  makeImage(imported(fd), desc, CL_INVALID_HOST_PTR, 0, host.data());
  makeBuffer(imported(fd), CL_INVALID_VALUE, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY);
  makeBuffer(imported(fd), CL_INVALID_BUFFER_SIZE, 0, 0);
  makeBuffer(imported(fd), CL_INVALID_BUFFER_SIZE, 0, kWords * 4 + 1);
  makeImage(imported(fd), image2D(kWords, 2), CL_INVALID_IMAGE_SIZE);
  makeImage(imported(fd), image2D(10, 10, 41), CL_INVALID_IMAGE_DESCRIPTOR);
  makeImage(imported(fd), image2D(10, 10, 36), CL_INVALID_IMAGE_DESCRIPTOR);
  cl_image_desc mipmap = desc, view = desc;
  mipmap.num_mip_levels = 2;
  makeImage(imported(fd), mipmap, CL_INVALID_IMAGE_DESCRIPTOR);
  const Owned<cl_mem> plain = Api::makeBuffer(kWords * 4);
  view.mem_object = plain;
  makeImage(imported(fd), view, CL_INVALID_IMAGE_DESCRIPTOR);
  makeImage({CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0}, desc, CL_INVALID_PROPERTY);
  EXPECT_TRUE(isOpen(fd)); // none has taken it
  EXPECT_EQ(fcntl(fd, F_GET_SEALS), 0);
}

TEST_F(ExternalMemoryErrorsTest, EnqueueErrors) {
  Descriptor memory = makeMemory(kWords);
  const Owned<cl_mem> buffer = makeBuffer(imported(memory.give())), plain = Api::makeBuffer(64);
  Owned<cl_context> otherContext = makeContext();
  cl_int status = 1;
  Owned<cl_command_queue> otherQueue = clCreateCommandQueueWithProperties(otherContext, device_, nullptr, &status);
  Owned<cl_event> otherEvent = clCreateUserEvent(otherContext, &status), failed = makeUserEvent();
  ASSERT_EQ(clSetUserEventStatus(failed, -1), CL_SUCCESS);
  Foreign<cl_command_queue> foreignQueue(queue_.get());
  Foreign<cl_mem> foreignMemory(buffer.get());
  Foreign<cl_event> foreignEvent(failed.get());
  const std::array<cl_mem, 3> list = {buffer, plain, foreignMemory};
  const std::array<cl_event, 3> events = {failed, otherEvent, foreignEvent};
  for (auto call : {acquire_, release_}) {
    EXPECT_EQ(call(foreignQueue, 1, list.data(), 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(call(otherQueue, 1, list.data(), 0, nullptr, nullptr), CL_INVALID_CONTEXT);
    EXPECT_EQ(call(queue_, 0, list.data(), 0, nullptr, nullptr), CL_INVALID_VALUE);
    EXPECT_EQ(call(queue_, 1, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
    EXPECT_EQ(call(queue_, 2, list.data(), 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
    EXPECT_EQ(call(queue_, 1, &list[2], 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
    EXPECT_EQ(call(queue_, 1, list.data(), 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_EQ(call(queue_, 1, list.data(), 0, events.data(), nullptr), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_EQ(call(queue_, 1, list.data(), 1, &events[2], nullptr), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_EQ(call(queue_, 1, list.data(), 1, &events[1], nullptr), CL_INVALID_CONTEXT);
    EXPECT_EQ(call(queue_, 1, list.data(), 1, events.data(), nullptr), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  }
  ASSERT_EQ(clSetUserEventStatus(otherEvent, CL_COMPLETE), CL_SUCCESS);
}

TEST_F(ExternalMemoryErrorsTest, ForSomeDevicesOnly) {
  const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  std::array<cl_device_id, 2> parts{};
  if (clCreateSubDevices(device_, halves, 2, parts.data(), nullptr) != CL_SUCCESS)
    GTEST_SKIP() << "the device has one compute unit";
  cl_int status = 1;
  {
    Owned<cl_context> context = clCreateContext(nullptr, 2, parts.data(), nullptr, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    Descriptor memory = makeMemory(kWords);
    Properties properties = imported(memory.get());
    properties.pop_back();
    properties.insert(properties.end(),
                      {CL_MEM_DEVICE_HANDLE_LIST_KHR, reinterpret_cast<cl_mem_properties>(parts[1]), 0, 0});
    Owned<cl_mem> buffer = clCreateBufferWithProperties(context, properties.data(), 0, 64, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    memory.give();
    cl_mem raw = buffer;
    std::array<Owned<cl_command_queue>, 2> queues;
    for (size_t i = 0; i < 2; ++i)
      queues[i] = clCreateCommandQueueWithProperties(context, parts[i], nullptr, &status);
    for (auto call : {acquire_, release_}) {
      EXPECT_EQ(call(queues[0], 1, &raw, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
      EXPECT_EQ(call(queue_, 1, &raw, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE); // none of its context's devices
      EXPECT_EQ(call(queues[1], 1, &raw, 0, nullptr, nullptr), CL_SUCCESS);
    }
    ASSERT_EQ(clFinish(queues[1]), CL_SUCCESS);
  }
  for (cl_device_id part : parts)
    EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
}

} // namespace clotho::test
