// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fixture.hpp"

#include <vector>

namespace clotho::test {

/// A context of two devices, of which the first one may be lost and the second one stays. Kernels of the program take a
/// buffer of 64 words and a number.
class TwoDevices : public DeviceApi {
 protected:
  static constexpr size_t kWords = 64;
  using Words = std::vector<cl_uint>;

  void setUp(const char* source, cl_command_queue_properties properties = 0) {
    std::vector<cl_device_id> devices(2);
    cl_uint count = 0;
    ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 2, devices.data(), &count), CL_SUCCESS);
    ASSERT_EQ(count, 2u);
    near_ = devices[1];
    cl_int status;
    context_ = Owned<cl_context>(clCreateContext(nullptr, 2, devices.data(), nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = makeQueue(properties);
    nearQueue_ = Owned<cl_command_queue>(clCreateCommandQueueWithProperties(context_.get(), near_, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    program_ = buildProgram(source);
  }
  Owned<cl_kernel> kernel(const char* name, const Owned<cl_mem>& buffer, cl_uint number) {
    Owned<cl_kernel> made(clCreateKernel(program_.get(), name, nullptr));
    cl_mem memory = buffer.get();
    EXPECT_EQ(clSetKernelArg(made.get(), 0, sizeof memory, &memory), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(made.get(), 1, sizeof number, &number), CL_SUCCESS);
    return made;
  }
  Owned<cl_event> launch(const Owned<cl_command_queue>& queue, const Owned<cl_kernel>& kernel,
                         cl_event after = nullptr) {
    cl_event event = nullptr;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue.get(), kernel.get(), 1, nullptr, &kWords, nullptr, after ? 1 : 0,
                                     after ? &after : nullptr, &event),
              CL_SUCCESS);
    return Owned<cl_event>(event);
  }
  Owned<cl_mem> zeros() {
    Words words(kWords);
    return makeBuffer(kWords * sizeof(cl_uint), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, words.data());
  }

  cl_device_id near_ = nullptr; ///< the second device
  Owned<cl_command_queue> nearQueue_;
  Owned<cl_program> program_;
};

} // namespace clotho::test
