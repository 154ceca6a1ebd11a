// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace clotho::test {

namespace {

using ContextTest = Api;

void CL_CALLBACK onError(const char*, const void*, size_t, void*) {}

cl_context_properties asProperty(cl_platform_id platform) { return reinterpret_cast<cl_context_properties>(platform); }

TEST_F(ContextTest, CreateErrors) {
  cl_int status;
  auto code = [&](const cl_context_properties* properties, cl_uint count, const cl_device_id* devices,
                  void(CL_CALLBACK * notify)(const char*, const void*, size_t, void*), void* userData) {
    status = 1;
    Owned<cl_context> context = clCreateContext(properties, count, devices, notify, userData, &status);
    EXPECT_EQ(context.get() == nullptr, status != CL_SUCCESS);
    return status;
  };
  EXPECT_EQ(code(nullptr, 0, &device_, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(nullptr, 1, &device_, nullptr, &status), CL_INVALID_VALUE);
  EXPECT_EQ(code(nullptr, 1, &device_, onError, &status), CL_SUCCESS);

  cl_context_properties unknown[] = {0x7777, 1, 0};
  EXPECT_EQ(code(unknown, 1, &device_, nullptr, nullptr), CL_INVALID_PROPERTY);
  cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, asProperty(platform_), CL_CONTEXT_PLATFORM,
                                   asProperty(platform_), 0};
  EXPECT_EQ(code(twice, 1, &device_, nullptr, nullptr), CL_INVALID_PROPERTY);
  cl_context_properties notBoolean[] = {CL_CONTEXT_INTEROP_USER_SYNC, 2, 0};
  EXPECT_EQ(code(notBoolean, 1, &device_, nullptr, nullptr), CL_INVALID_PROPERTY);
  cl_context_properties noPlatform[] = {CL_CONTEXT_PLATFORM, 0, 0};
  EXPECT_EQ(code(noPlatform, 1, &device_, nullptr, nullptr), CL_INVALID_PLATFORM);

  Foreign<cl_device_id> foreign(device_);
  cl_device_id devices[] = {device_, foreign};
  EXPECT_EQ(code(nullptr, 2, devices, nullptr, nullptr), CL_INVALID_DEVICE);
  EXPECT_NE(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, nullptr), nullptr) << "no status wanted";
}

TEST_F(ContextTest, FromTypeErrors) {
  auto code = [&](cl_device_type type) {
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, asProperty(platform_), 0};
    cl_int status = 1;
    Owned<cl_context> context = clCreateContextFromType(properties, type, nullptr, nullptr, &status);
    EXPECT_EQ(context.get() == nullptr, status != CL_SUCCESS);
    return status;
  };
  const auto own = valueAnswer<cl_device_type>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_TYPE));
  EXPECT_EQ(code(own), CL_SUCCESS);
  EXPECT_EQ(code(CL_DEVICE_TYPE_DEFAULT), CL_SUCCESS);
  EXPECT_EQ(code(CL_DEVICE_TYPE_ALL), CL_SUCCESS);
  EXPECT_EQ(code(CL_DEVICE_TYPE_ACCELERATOR), CL_DEVICE_NOT_FOUND);
  EXPECT_EQ(code(0), CL_INVALID_DEVICE_TYPE);
  EXPECT_EQ(code(1 << 20), CL_INVALID_DEVICE_TYPE);
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, asProperty(platform_), 0x7777, 1, 0};
  cl_int status;
  EXPECT_EQ(clCreateContextFromType(properties, own, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROPERTY);
  cl_context_properties good[] = {CL_CONTEXT_PLATFORM, asProperty(platform_), 0};
  EXPECT_EQ(clCreateContextFromType(good, own, nullptr, &status, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
}

TEST_F(ContextTest, Info) {
  cl_context_properties properties[] = {CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, CL_CONTEXT_PLATFORM,
                                        asProperty(platform_), 0};
  cl_device_id twice[] = {device_, device_};
  cl_int status;
  Owned<cl_context> context = clCreateContext(properties, 2, twice, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(listAnswer<cl_context_properties>(CLOTHO_INFO(clGetContextInfo, context, CL_CONTEXT_PROPERTIES)),
            std::vector<cl_context_properties>(properties, properties + 5));
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetContextInfo, context, CL_CONTEXT_NUM_DEVICES)), 1u)
      << "duplicates are ignored";
  EXPECT_EQ(listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, context, CL_CONTEXT_DEVICES)),
            std::vector<cl_device_id>{device_});
  EXPECT_TRUE(
      listAnswer<cl_context_properties>(CLOTHO_INFO(clGetContextInfo, context_, CL_CONTEXT_PROPERTIES)).empty());
  checkInfoProtocol([&](cl_uint name, size_t size, void* value,
                        size_t* ret) { return clGetContextInfo(context, name, size, value, ret); },
                    CL_CONTEXT_DEVICES);
}

TEST_F(ContextTest, FromTypeInfo) {
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, asProperty(platform_), CL_CONTEXT_INTEROP_USER_SYNC,
                                        CL_FALSE, 0};
  cl_int status = 1;
  Owned<cl_context> context = clCreateContextFromType(properties, CL_DEVICE_TYPE_DEFAULT, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(listAnswer<cl_context_properties>(CLOTHO_INFO(clGetContextInfo, context, CL_CONTEXT_PROPERTIES)),
            std::vector<cl_context_properties>(properties, properties + 5));
  EXPECT_EQ(listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, context, CL_CONTEXT_DEVICES)),
            std::vector<cl_device_id>{device_});
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetContextInfo, context, CL_CONTEXT_NUM_DEVICES)), 1u);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetContextInfo, context, CL_CONTEXT_REFERENCE_COUNT)), 1u);
}

TEST_F(ContextTest, CountsReferences) {
  auto count = [&] {
    return valueAnswer<cl_uint>(CLOTHO_INFO(clGetContextInfo, context_, CL_CONTEXT_REFERENCE_COUNT));
  };
  EXPECT_EQ(count(), 1u) << "only the application's references are counted";
  EXPECT_EQ(clRetainContext(context_), CL_SUCCESS);
  EXPECT_EQ(count(), 2u);
  EXPECT_EQ(clReleaseContext(context_), CL_SUCCESS);
  EXPECT_EQ(count(), 1u);
}

TEST_F(ContextTest, ReleasedHandleIsRefused) {
  Owned<cl_context> owned = makeContext();
  cl_context context = owned.take();
  EXPECT_EQ(clReleaseContext(context), CL_SUCCESS);
  EXPECT_EQ(clReleaseContext(context), CL_INVALID_CONTEXT);
  EXPECT_EQ(clRetainContext(context), CL_INVALID_CONTEXT);
  EXPECT_EQ(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
  Foreign<cl_context> foreign(device_);
  EXPECT_EQ(clRetainContext(foreign), CL_INVALID_CONTEXT);
}

struct DestructorCalls {
  int order[2] = {0, 0};
  std::atomic<int> count{0};
  /// Callbacks come one after the other; who sees the count sees the order.
  void add(int number) {
    order[count.load()] = number;
    ++count;
  }
};

TEST_F(ContextTest, DestructorCallbacksLastFirstWhenAllIsGone) {
  static DestructorCalls calls;
  Owned<cl_context> context = makeContext();
  EXPECT_EQ(clSetContextDestructorCallback(context, nullptr, nullptr), CL_INVALID_VALUE);
  Foreign<cl_context> foreign(device_);
  auto first = [](cl_context, void*) { calls.add(1); };
  auto second = [](cl_context, void*) { calls.add(2); };
  EXPECT_EQ(clSetContextDestructorCallback(foreign, first, nullptr), CL_INVALID_CONTEXT);
  EXPECT_EQ(clSetContextDestructorCallback(context, first, nullptr), CL_SUCCESS);
  EXPECT_EQ(clSetContextDestructorCallback(context, second, nullptr), CL_SUCCESS);

  cl_int status;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 16, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clReleaseContext(context.take()), CL_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(calls.count, 0) << "the buffer keeps the context";
  EXPECT_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
  for (int i = 0; i < 5000 && calls.count < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(calls.count, 2);
  EXPECT_EQ(calls.order[0], 2);
  EXPECT_EQ(calls.order[1], 1);
}

} // namespace

} // namespace clotho::test
