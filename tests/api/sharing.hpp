// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fixture.hpp"
#include "svm.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

namespace clotho::test {

constexpr unsigned kThreads = 4;
constexpr size_t kSide = 16, kTexels = kSide * kSide, kWords = 4 * kTexels; // RGBA, words of 32 bits
using Words = std::vector<cl_uint>;

constexpr const char* kSource = R"(
kernel void change(global uint* words, uint number) {
  size_t i = get_global_id(0);
  words[i] = words[i] * 3 + number + i;
}
kernel void changeTexels(read_write image2d_t image, uint number) {
  int2 at = (int2)(get_global_id(0) % 16, get_global_id(0) / 16);
  write_imageui(image, at, read_imageui(image, at) * 3 + number);
}
kernel void sample(read_only image2d_t image, sampler_t sampler, global uint4* to) {
  float2 at = (float2)(get_global_id(0) % 16, get_global_id(0) / 16);
  to[get_global_id(0)] = read_imageui(image, sampler, at + 0.5f);
}
#ifdef __opencl_c_pipes
kernel void put(write_only pipe uint pipe_, uint first) {
  uint value = first + get_global_id(0);
  write_pipe(pipe_, &value);
}
kernel void take(read_only pipe uint pipe_, global uint* out) {
  uint value = 0;
  out[get_global_id(0)] = read_pipe(pipe_, &value) == 0 ? value : ~0u;
}
#endif
kernel void add(global uint* sum, uint number) { atomic_add(sum, number); }
#ifdef __opencl_c_atomic_scope_all_devices
kernel void addShared(global atomic_uint* sum) {
  for (int i = 0; i < 100; ++i)
    atomic_fetch_add_explicit(sum, 1, memory_order_relaxed, memory_scope_all_svm_devices);
}
#endif
)";

template <class Body> void onThreads(unsigned count, Body&& body) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads)
    thread.join();
}

class SharingTest : public Api {
 protected:
  void SetUp() override {
    ASSERT_NE(device_, nullptr);
    cl_uint count = 0;
    ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
    devices_.resize(count);
    ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, count, devices_.data(), nullptr), CL_SUCCESS);
    for (cl_uint i = 0; i < count; ++i)
      addParts(devices_[i]);
    cl_int status = 1;
    context_ = clCreateContext(nullptr, cl_uint(devices_.size()), devices_.data(), nullptr, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    for (cl_device_id device : devices_)
      for (const cl_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
        const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
        queues_.emplace_back(clCreateCommandQueueWithProperties(context_, device, list, &status));
        ASSERT_EQ(status, CL_SUCCESS);
      }
    queue_ = makeQueue();
    program_ = buildProgram(kSource, "-cl-std=CL3.0");
    sampler_ = clCreateSampler(context_, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status);
    ASSERT_EQ(status, CL_SUCCESS);
  }
  void TearDown() override {
    for (const Owned<cl_command_queue>& queue : queues_)
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    queues_.clear();
    sampler_ = {};
    program_ = {};
    Api::TearDown();
    context_ = {};
    for (cl_device_id part : parts_)
      EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
  }
  Owned<cl_kernel> kernelOf(const char* name) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program_, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return kernel;
  }
  template <class T> static void set(cl_kernel kernel, cl_uint index, const T& value) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof value, &value), CL_SUCCESS);
  }
  cl_command_queue queueOf(size_t index) const { return queues_[index % queues_.size()]; }

  std::vector<cl_device_id> devices_, parts_;
  std::vector<Owned<cl_command_queue>> queues_; ///< of each device one in order and one out of order
  Owned<cl_program> program_;
  Owned<cl_sampler> sampler_;

 private:
  void addParts(cl_device_id root) {
    if (valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, root, CL_DEVICE_PARTITION_MAX_SUB_DEVICES)) < 2) return;
    const cl_device_partition_property each[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id parts[2] = {};
    ASSERT_EQ(clCreateSubDevices(root, each, 2, parts, nullptr), CL_SUCCESS);
    parts_.insert(parts_.end(), parts, parts + 2);
    devices_.insert(devices_.end(), parts, parts + 2);
  }
};

} // namespace clotho::test
