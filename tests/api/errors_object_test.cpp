// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles that are no objects, or no longer any, and arguments of calls that make or describe objects.
#include "fixture.hpp"

namespace clotho::test {

namespace {

class ErrorsObjectTest : public Api {
 protected:
  static cl_context_properties asProperty(const void* pointer) { return reinterpret_cast<intptr_t>(pointer); }
};

TEST_F(ErrorsObjectTest, MemoryHandles) {
  Owned<cl_mem> owned = makeBuffer(64);
  Foreign<cl_mem> foreign(device_);
  cl_mem gone = owned;
  ASSERT_EQ(clReleaseMemObject(owned.take()), CL_SUCCESS);
  for (cl_mem bad : {static_cast<cl_mem>(foreign), gone}) {
    EXPECT_EQ(clRetainMemObject(bad), CL_INVALID_MEM_OBJECT);
    EXPECT_EQ(clReleaseMemObject(bad), CL_INVALID_MEM_OBJECT);
    EXPECT_EQ(clGetMemObjectInfo(bad, CL_MEM_SIZE, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
    EXPECT_EQ(clSetMemObjectDestructorCallback(bad, [](cl_mem, void*) {}, nullptr), CL_INVALID_MEM_OBJECT);
  }
}

TEST_F(ErrorsObjectTest, QueueHandles) {
  Owned<cl_command_queue> owned = makeQueue();
  Foreign<cl_command_queue> foreign(device_);
  cl_command_queue gone = owned;
  ASSERT_EQ(clReleaseCommandQueue(owned.take()), CL_SUCCESS);
  for (cl_command_queue bad : {static_cast<cl_command_queue>(foreign), gone}) {
    EXPECT_EQ(clRetainCommandQueue(bad), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(clReleaseCommandQueue(bad), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(clFlush(bad), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(clFinish(bad), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(clGetCommandQueueInfo(bad, CL_QUEUE_CONTEXT, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(clSetCommandQueueProperty(bad, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, nullptr), CL_INVALID_COMMAND_QUEUE);
  }
}

TEST_F(ErrorsObjectTest, QueuesAreMadeOnDevicesOfTheContext) {
  Foreign<cl_context> foreign(device_);
  Foreign<cl_device_id> foreignDevice(device_);
  cl_int status = 1;
  EXPECT_EQ(clCreateCommandQueue(foreign, device_, 0, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreateCommandQueue(context_, foreignDevice, 0, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(foreign, device_, queue_), CL_INVALID_CONTEXT);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context_, foreignDevice, queue_), CL_INVALID_DEVICE);
}

TEST_F(ErrorsObjectTest, EventHandles) {
  Owned<cl_event> owned = makeUserEvent();
  Foreign<cl_event> foreign(device_);
  cl_event gone = owned;
  ASSERT_EQ(clSetUserEventStatus(gone, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clReleaseEvent(owned.take()), CL_SUCCESS);
  for (cl_event bad : {static_cast<cl_event>(foreign), gone}) {
    cl_ulong time = 0;
    EXPECT_EQ(clRetainEvent(bad), CL_INVALID_EVENT);
    EXPECT_EQ(clReleaseEvent(bad), CL_INVALID_EVENT);
    EXPECT_EQ(clSetUserEventStatus(bad, CL_COMPLETE), CL_INVALID_EVENT);
    EXPECT_EQ(clWaitForEvents(1, &bad), CL_INVALID_EVENT);
    EXPECT_EQ(clGetEventInfo(bad, CL_EVENT_CONTEXT, 0, nullptr, nullptr), CL_INVALID_EVENT);
    EXPECT_EQ(clSetEventCallback(bad, CL_COMPLETE, [](cl_event, cl_int, void*) {}, nullptr), CL_INVALID_EVENT);
    EXPECT_EQ(clGetEventProfilingInfo(bad, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr), CL_INVALID_EVENT);
  }
  EXPECT_EQ(clWaitForEvents(1, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clWaitForEvents(0, &gone), CL_INVALID_VALUE);
}

TEST_F(ErrorsObjectTest, ContextHandles) {
  Owned<cl_context> owned = makeContext();
  Foreign<cl_context> foreign(device_);
  cl_context gone = owned;
  ASSERT_EQ(clReleaseContext(owned.take()), CL_SUCCESS);
  for (cl_context bad : {static_cast<cl_context>(foreign), gone}) {
    cl_int status = 1;
    EXPECT_EQ(clRetainContext(bad), CL_INVALID_CONTEXT);
    EXPECT_EQ(clReleaseContext(bad), CL_INVALID_CONTEXT);
    EXPECT_EQ(clGetContextInfo(bad, CL_CONTEXT_DEVICES, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
    EXPECT_EQ(clSetContextDestructorCallback(bad, [](cl_context, void*) {}, nullptr), CL_INVALID_CONTEXT);
    EXPECT_EQ(clCreateUserEvent(bad, &status), nullptr);
    EXPECT_EQ(status, CL_INVALID_CONTEXT);
  }
}

TEST_F(ErrorsObjectTest, ContextsFromAType) {
  auto code = [&](const cl_context_properties* properties, cl_device_type type, void* userData = nullptr) {
    cl_int status = 1;
    Owned<cl_context> context = clCreateContextFromType(properties, type, nullptr, userData, &status);
    EXPECT_EQ(context.get() == nullptr, status != CL_SUCCESS);
    return status;
  };
  const cl_context_properties known[] = {CL_CONTEXT_PLATFORM, asProperty(platform_), 0};
  const cl_context_properties unknown[] = {CL_CONTEXT_PLATFORM, asProperty(platform_), 0x7777, 1, 0};
  const cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, asProperty(platform_), CL_CONTEXT_PLATFORM,
                                         asProperty(platform_), 0};
  const cl_context_properties noBoolean[] = {CL_CONTEXT_PLATFORM, asProperty(platform_), CL_CONTEXT_INTEROP_USER_SYNC,
                                             2, 0};
  EXPECT_EQ(code(known, CL_DEVICE_TYPE_ALL), CL_SUCCESS);
  EXPECT_EQ(code(unknown, CL_DEVICE_TYPE_ALL), CL_INVALID_PROPERTY);
  EXPECT_EQ(code(twice, CL_DEVICE_TYPE_ALL), CL_INVALID_PROPERTY);
  EXPECT_EQ(code(noBoolean, CL_DEVICE_TYPE_ALL), CL_INVALID_PROPERTY);
  int data;
  EXPECT_EQ(code(known, CL_DEVICE_TYPE_ALL, &data), CL_INVALID_VALUE);
  EXPECT_EQ(code(known, 0), CL_INVALID_DEVICE_TYPE);
  EXPECT_EQ(code(known, CL_DEVICE_TYPE_ACCELERATOR), CL_DEVICE_NOT_FOUND);
}

// The loader looks for the driver's table behind the platform, so the driver is asked directly for what the loader
// itself would refuse.
TEST_F(ErrorsObjectTest, ContextsOfNoPlatform) {
  Foreign<cl_platform_id> foreign(platform_);
  const cl_context_properties list[] = {CL_CONTEXT_PLATFORM, asProperty(static_cast<cl_platform_id>(foreign)), 0};
  cl_int status = 1;
  EXPECT_EQ(clCreateContextFromType(list, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PLATFORM);
  status = 1;
  EXPECT_EQ(clCreateContext(list, 1, &device_, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PLATFORM);
}

TEST_F(ErrorsObjectTest, BuffersWithProperties) {
  char host[64];
  cl_int status = 1;
  auto code = [&](cl_mem_flags flags, size_t size, void* pointer) {
    Owned<cl_mem> buffer = clCreateBufferWithProperties(context_, nullptr, flags, size, pointer, &status);
    EXPECT_EQ(buffer.get() == nullptr, status != CL_SUCCESS);
    return status;
  };
  cl_ulong most = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  EXPECT_EQ(code(0, 64, nullptr), CL_SUCCESS);
  EXPECT_EQ(code(1u << 20, 64, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(0, 0, nullptr), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(code(0, most + 1, nullptr), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(code(0, 64, host), CL_INVALID_HOST_PTR);
  EXPECT_EQ(code(CL_MEM_COPY_HOST_PTR, 64, nullptr), CL_INVALID_HOST_PTR);
  const cl_mem_properties unknown[] = {0x7777, 1, 0};
  EXPECT_EQ(clCreateBufferWithProperties(context_, unknown, 0, 64, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROPERTY);
  Foreign<cl_context> foreign(device_);
  EXPECT_EQ(clCreateBufferWithProperties(foreign, nullptr, 0, 64, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
}

TEST_F(ErrorsObjectTest, BuffersWithPropertiesRunOut) {
  cl_ulong most = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  cl_ulong all = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_GLOBAL_MEM_SIZE));
  std::vector<Owned<cl_mem>> buffers;
  cl_int status = CL_SUCCESS;
  for (cl_ulong taken = 0; status == CL_SUCCESS && taken <= 2 * all; taken += most)
    buffers.emplace_back(clCreateBufferWithProperties(context_, nullptr, 0, most, nullptr, &status));
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

TEST_F(ErrorsObjectTest, ImagesSamplersAndPipesOfNoContext) {
  Foreign<cl_context> foreign(device_);
  cl_image_format format{CL_RGBA, CL_UNORM_INT8};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = description.image_height = 16;
  cl_int status = 1;
  EXPECT_EQ(clCreateImageWithProperties(foreign, nullptr, 0, &format, &description, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  status = 1;
  EXPECT_EQ(clCreateImage2D(foreign, 0, &format, 16, 16, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  status = 1;
  EXPECT_EQ(clCreateImage3D(foreign, 0, &format, 16, 16, 2, 0, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  status = 1;
  EXPECT_EQ(clCreateSampler(foreign, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  status = 1;
  EXPECT_EQ(clCreateSamplerWithProperties(foreign, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  status = 1;
  EXPECT_EQ(clCreatePipe(foreign, 0, 4, 16, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  Foreign<cl_mem> noMemory(device_);
  EXPECT_EQ(clGetImageInfo(noMemory, CL_IMAGE_WIDTH, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clGetPipeInfo(noMemory, CL_PIPE_PACKET_SIZE, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
}

TEST_F(ErrorsObjectTest, CommandsOfLaterFeaturesInNoQueue) {
  Foreign<cl_command_queue> foreign(device_);
  char a[8] = {}, b[8] = {};
  void* pointers[] = {a};
  const void* constPointers[] = {a};
  EXPECT_EQ(clEnqueueSVMFree(foreign, 1, pointers, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueSVMMemcpy(foreign, CL_TRUE, a, b, 8, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueSVMMemFill(foreign, a, b, 1, 8, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueSVMMap(foreign, CL_TRUE, CL_MAP_READ, a, 8, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueSVMUnmap(foreign, a, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueSVMMigrateMem(foreign, 1, constPointers, nullptr, 0, 0, nullptr, nullptr),
            CL_INVALID_COMMAND_QUEUE);
}

} // namespace

} // namespace clotho::test
