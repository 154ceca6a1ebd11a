// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device without what OpenCL 3.0 leaves to devices (CLOTHO_CPU_DEVICES=bare), which is the first of two: what it
// lacks is refused with the error that the specification names, and what it has works. What its queries say is in
// docs/claims.tsv.
#include "base/command_buffer_header.hpp"
#include "base/later_headers.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace clotho::test {

namespace {

class BareDeviceTest : public DeviceApi {
 protected:
  void SetUp() override {
    DeviceApi::SetUp();
    ASSERT_TRUE(text(CL_DEVICE_NAME).ends_with(" (bare)"));
    cl_device_id devices[2] = {};
    ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 2, devices, nullptr), CL_SUCCESS);
    cl_int status = 1;
    mixed_ = Owned<cl_context>(clCreateContext(nullptr, 2, devices, nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    const cl_queue_properties none[] = {0};
    bareInMixed_ = Owned<cl_command_queue>(clCreateCommandQueueWithProperties(mixed_, devices[0], none, &status));
    ASSERT_EQ(status, CL_SUCCESS);
  }
  template <class T> static T function(const char* name) {
    return reinterpret_cast<T>(clGetExtensionFunctionAddressForPlatform(platform_, name));
  }
  cl_int queueStatus(std::vector<cl_queue_properties> list) {
    cl_int status = 1;
    Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context_, device_, list.data(), &status);
    return status;
  }

  Owned<cl_context> mixed_; ///< on both devices
  Owned<cl_command_queue> bareInMixed_;
};

void CL_CALLBACK doNothing(void*) {}

TEST_F(BareDeviceTest, RunsKernels) {
  Owned<cl_kernel> kernel = makeKernel("kernel void f(global uint* x) { x[get_global_id(0)] *= 3; }", "f");
  std::array<cl_uint, 100> numbers{};
  std::iota(numbers.begin(), numbers.end(), 0U);
  Owned<cl_mem> buffer = makeBuffer(sizeof numbers, CL_MEM_COPY_HOST_PTR, numbers.data());
  const cl_mem memory = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  const size_t size = numbers.size();
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof numbers, numbers.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  for (cl_uint i = 0; i < size; ++i)
    EXPECT_EQ(numbers[i], 3 * i);
}

TEST_F(BareDeviceTest, ClaimedFeaturesAreMacros) {
  buildProgram(R"(
#if defined(__opencl_c_generic_address_space) || defined(__opencl_c_pipes) || defined(__opencl_c_subgroups) || \
    defined(__opencl_c_images) || defined(__opencl_c_fp64) || defined(cl_khr_fp16) || defined(__IMAGE_SUPPORT__)
#error claimed
#endif
#ifndef __opencl_c_int64
#error not claimed
#endif
)",
               "-cl-std=CL3.0");
}

TEST_F(BareDeviceTest, NativeKernels) {
  EXPECT_EQ(clEnqueueNativeKernel(queue_, doNothing, nullptr, 0, 0, nullptr, nullptr, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
}

TEST_F(BareDeviceTest, Queues) {
  EXPECT_EQ(queueStatus({CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0}), CL_SUCCESS);
  EXPECT_EQ(queueStatus({CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0}), CL_INVALID_QUEUE_PROPERTIES);
  EXPECT_EQ(queueStatus({CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE, 0}),
            CL_INVALID_QUEUE_PROPERTIES);
  cl_int status = 1;
  EXPECT_EQ(clCreateCommandQueue(context_, device_, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_QUEUE_PROPERTIES);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context_, device_, queue_), CL_INVALID_OPERATION);
}

TEST_F(BareDeviceTest, SubDevices) {
  const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_uint count = 0;
  EXPECT_EQ(clCreateSubDevices(device_, equally, 0, nullptr, &count), CL_INVALID_VALUE);
  EXPECT_EQ(list<cl_device_partition_property>(CL_DEVICE_PARTITION_PROPERTIES),
            std::vector<cl_device_partition_property>{0});
}

TEST_F(BareDeviceTest, Images) {
  const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = desc.image_height = 4;
  const cl_sampler_properties none[] = {0};
  const auto refuses = [](auto create) {
    cl_int status = 1;
    EXPECT_EQ(create(&status), nullptr);
    EXPECT_EQ(status, CL_INVALID_OPERATION);
  };
  refuses([&](cl_int* status) { return clCreateImage(context_, 0, &format, &desc, nullptr, status); });
  refuses([&](cl_int* status) {
    return clCreateImageWithProperties(context_, nullptr, 0, &format, &desc, nullptr, status);
  });
  refuses([&](cl_int* status) { return clCreateImage2D(context_, 0, &format, 4, 4, 0, nullptr, status); });
  refuses([&](cl_int* status) { return clCreateImage3D(context_, 0, &format, 4, 4, 4, 0, 0, nullptr, status); });
  refuses([&](cl_int* status) { return clCreateSamplerWithProperties(context_, none, status); });
  refuses(
      [&](cl_int* status) { return clCreateSampler(context_, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, status); });
  cl_uint count = 1;
  ASSERT_EQ(clGetSupportedImageFormats(context_, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
            CL_SUCCESS);
  EXPECT_EQ(count, 0u);
}

// One device of a context that has images suffices to make one; commands on the other are refused.
TEST_F(BareDeviceTest, ImagesOfAnotherDevice) {
  const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = desc.image_height = 4;
  cl_int status = 1;
  Owned<cl_mem> image = clCreateImage(mixed_, 0, &format, &desc, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> target = clCreateImage(mixed_, 0, &format, &desc, nullptr, &status);
  Owned<cl_mem> buffer = clCreateBuffer(mixed_, 0, 64, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  cl_command_queue queue = bareInMixed_;
  const size_t origin[] = {0, 0, 0}, region[] = {4, 4, 1};
  cl_uint texels[16] = {};
  EXPECT_EQ(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueCopyImage(queue, image, target, origin, origin, region, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueFillImage(queue, image, texels, origin, region, 0, nullptr, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region, 0, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueCopyBufferToImage(queue, buffer, image, 0, origin, region, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  size_t pitch = 0;
  EXPECT_EQ(clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, region, &pitch, nullptr, 0, nullptr, nullptr,
                              &status),
            nullptr);
  EXPECT_EQ(status, CL_INVALID_OPERATION);
}

TEST_F(BareDeviceTest, Pipes) {
  cl_int status = 1;
  EXPECT_EQ(clCreatePipe(context_, 0, 4, 16, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_OPERATION);
}

TEST_F(BareDeviceTest, SharedVirtualMemory) {
  EXPECT_EQ(clSVMAlloc(context_, CL_MEM_READ_WRITE, 64, 0), nullptr);
  EXPECT_EQ(clSVMAlloc(mixed_, CL_MEM_READ_WRITE, 64, 0), nullptr) << "a device of the context cannot share";
  alignas(64) cl_uint bytes[16] = {};
  void* pointer = bytes;
  const void* constPointer = bytes;
  const cl_uint pattern = 1;
  for (cl_command_queue queue : {queue_.get(), bareInMixed_.get()}) {
    EXPECT_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, bytes, bytes + 8, 16, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(clEnqueueSVMMemFill(queue, bytes, &pattern, 4, 16, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, bytes, 16, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(clEnqueueSVMUnmap(queue, bytes, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(clEnqueueSVMFree(queue, 1, &pointer, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(clEnqueueSVMMigrateMem(queue, 1, &constPointer, nullptr, 0, 0, nullptr, nullptr), CL_INVALID_OPERATION);
  }
  Owned<cl_kernel> kernel = makeKernel("kernel void f(global uint* x) { *x = 1; }", "f");
  EXPECT_EQ(clSetKernelArgSVMPointer(kernel, 0, bytes), CL_INVALID_OPERATION);
  EXPECT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointer, &pointer), CL_INVALID_OPERATION);
  const cl_bool yes = CL_TRUE;
  EXPECT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes),
            CL_INVALID_OPERATION);
}

TEST_F(BareDeviceTest, UnifiedSharedMemory) {
  const auto host = function<clHostMemAllocINTEL_fn>("clHostMemAllocINTEL");
  const auto device = function<clDeviceMemAllocINTEL_fn>("clDeviceMemAllocINTEL");
  const auto shared = function<clSharedMemAllocINTEL_fn>("clSharedMemAllocINTEL");
  const auto refuses = [](auto allocate) {
    cl_int status = 1;
    EXPECT_EQ(allocate(&status), nullptr);
    EXPECT_EQ(status, CL_INVALID_OPERATION);
  };
  refuses([&](cl_int* status) { return host(context_, nullptr, 64, 0, status); });
  for (cl_context context : {context_.get(), mixed_.get()}) {
    refuses([&](cl_int* status) { return device(context, device_, nullptr, 64, 0, status); });
    refuses([&](cl_int* status) { return shared(context, device_, nullptr, 64, 0, status); });
  }
  refuses([&](cl_int* status) { return shared(context_, nullptr, nullptr, 64, 0, status); });
  const auto withProperties = function<decltype(&clSVMAllocWithPropertiesKHR)>("clSVMAllocWithPropertiesKHR");
  for (cl_uint type = 0; type < 5; ++type)
    refuses([&](cl_int* status) { return withProperties(context_, nullptr, type, 64, status); });
}

// Another device of the context has such memory, at addresses that the kernels of this one do not reach.
TEST_F(BareDeviceTest, PointersToMemoryOfAnotherDevice) {
  const auto host = function<clHostMemAllocINTEL_fn>("clHostMemAllocINTEL");
  const auto free = function<clMemFreeINTEL_fn>("clMemFreeINTEL");
  const auto copy = function<clEnqueueMemcpyINTEL_fn>("clEnqueueMemcpyINTEL");
  const auto setPointer = function<clSetKernelArgMemPointerINTEL_fn>("clSetKernelArgMemPointerINTEL");
  cl_int status = 1;
  auto* numbers = static_cast<cl_uint*>(host(mixed_, nullptr, 64, 0, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  std::fill_n(numbers, 16, 5u);
  EXPECT_EQ(copy(bareInMixed_, CL_TRUE, numbers, numbers + 8, 16, 0, nullptr, nullptr), CL_INVALID_OPERATION);
  const char* source = "kernel void f(global uint* x) { ++x[get_global_id(0)]; }";
  Owned<cl_program> program = clCreateProgramWithSource(mixed_, 1, &source, nullptr, &status);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> kernel = clCreateKernel(program, "f", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const size_t size = 16;
  ASSERT_EQ(setPointer(kernel, 0, numbers), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(bareInMixed_, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, numbers), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(bareInMixed_, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  // A buffer over it has other bytes on the device, which move as those of all buffers.
  Owned<cl_mem> buffer = clCreateBuffer(mixed_, CL_MEM_USE_HOST_PTR, 64, numbers, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const cl_mem memory = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(bareInMixed_, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  cl_uint result[16] = {};
  ASSERT_EQ(clEnqueueReadBuffer(bareInMixed_, buffer, CL_TRUE, 0, 64, result, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(result[15], 6u);
  buffer = Owned<cl_mem>();
  EXPECT_EQ(free(mixed_, numbers), CL_SUCCESS);
}

TEST_F(BareDeviceTest, Semaphores) {
  const auto create = function<clCreateSemaphoreWithPropertiesKHR_fn>("clCreateSemaphoreWithPropertiesKHR");
  const cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
  cl_int status = 1;
  EXPECT_EQ(create(context_, properties, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
}

TEST_F(BareDeviceTest, AddressesOfBuffers) {
  const cl_mem_properties properties[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
  cl_int status = 1;
  EXPECT_EQ(clCreateBufferWithProperties(context_, properties, CL_MEM_READ_WRITE, 64, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
}

TEST_F(BareDeviceTest, SubGroups) {
  Owned<cl_kernel> kernel = makeKernel("kernel void f(global uint* x) { *x = 1; }", "f");
  const size_t local = 8;
  size_t answer = 0;
  for (const cl_kernel_sub_group_info name :
       {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE})
    EXPECT_EQ(clGetKernelSubGroupInfo(kernel, device_, name, sizeof local, &local, sizeof answer, &answer, nullptr),
              CL_INVALID_OPERATION);
}

TEST_F(BareDeviceTest, IntermediateLanguage) {
  const cl_uint words[] = {0x07230203, 0x00010000, 0, 1, 0};
  cl_int status = 1;
  EXPECT_EQ(clCreateProgramWithIL(context_, words, sizeof words, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_OPERATION);
  Owned<cl_program> program = makeProgram("kernel void f() {}");
  EXPECT_EQ(clSetProgramSpecializationConstant(program, 0, sizeof *words, words), CL_INVALID_OPERATION);
  EXPECT_TRUE(list<cl_name_version>(CL_DEVICE_ILS_WITH_VERSION).empty());
}

TEST_F(BareDeviceTest, CommandBuffers) {
  const auto create = function<clotho::khr::clCreateCommandBufferKHR_t*>("clCreateCommandBufferKHR");
  cl_command_queue queue = queue_;
  cl_int status = 1;
  EXPECT_EQ(create(1, &queue, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INCOMPATIBLE_COMMAND_QUEUE_KHR);
}

TEST_F(BareDeviceTest, InitializedMemory) {
  const cl_context_properties properties[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, 1, 0};
  cl_int status = 1;
  EXPECT_EQ(clCreateContext(properties, 1, &device_, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROPERTY);
}

// The queries of extensions that not all devices of the platform have.
TEST_F(BareDeviceTest, PlatformQueriesOfExtensions) {
  for (const cl_platform_info name :
       {cl_platform_info{CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR}, cl_platform_info{CL_PLATFORM_SEMAPHORE_TYPES_KHR}})
    EXPECT_EQ(clGetPlatformInfo(platform_, name, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

} // namespace

} // namespace clotho::test
