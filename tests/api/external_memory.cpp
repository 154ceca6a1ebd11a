// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "external_memory.hpp"

#include <numeric>
#include <unistd.h>

namespace clotho::test {

Descriptor makeMemory(size_t words, unsigned flags) {
  Descriptor memory(memfd_create("clotho-test", MFD_CLOEXEC | flags));
  EXPECT_EQ(ftruncate(memory.get(), static_cast<off_t>(words * sizeof(cl_uint))), 0);
  return memory;
}

void ExternalMemoryApi::SetUp() {
  Api::SetUp();
  CLOTHO_NEEDS(claims("cl_khr_external_memory"));
  const auto find = [](const char* name) { return clGetExtensionFunctionAddressForPlatform(platform_, name); };
  acquire_ = reinterpret_cast<decltype(acquire_)>(find("clEnqueueAcquireExternalMemObjectsKHR"));
  release_ = reinterpret_cast<decltype(release_)>(find("clEnqueueReleaseExternalMemObjectsKHR"));
  ASSERT_TRUE(acquire_ && release_);
  adding_ = makeKernel("kernel void k(global uint* p, uint n) { p[get_global_id(0)] += n; }", "k");
}

Owned<cl_mem> ExternalMemoryApi::makeBuffer(const Properties& properties, cl_int expected, cl_mem_flags flags,
                                            size_t size, void* host) {
  cl_int status = 1;
  Owned<cl_mem> buffer = clCreateBufferWithProperties(context_, properties.data(), flags, size, host, &status);
  EXPECT_EQ(status, expected);
  EXPECT_EQ(buffer.get() != nullptr, expected == CL_SUCCESS);
  return buffer;
}

Owned<cl_mem> ExternalMemoryApi::makeImage(const Properties& properties, const cl_image_desc& desc, cl_int expected,
                                           cl_mem_flags flags, void* host) {
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_int status = 1;
  Owned<cl_mem> image = clCreateImageWithProperties(context_, properties.data(), flags, &format, &desc, host, &status);
  EXPECT_EQ(status, expected);
  EXPECT_EQ(image.get() != nullptr, expected == CL_SUCCESS);
  return image;
}

void ExternalMemoryApi::goesBothWays(cl_mem buffer, std::span<cl_uint> others) {
  cl_uint round = 0;
  for (cl_device_id device : devices()) {
    cl_int status = 1;
    Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context_, device, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    for (int i = 0; i < 2; ++i) {
      std::iota(others.begin(), others.end(), ++round * 1000);
      acquire(queue, buffer);
      add(queue, buffer, 7, others.size());
      giveBack(queue, buffer);
      for (size_t k = 0; k < others.size(); ++k)
        ASSERT_EQ(others[k], round * 1000 + k + 7) << k;
    }
  }
}

} // namespace clotho::test
