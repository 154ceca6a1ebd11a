// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/later_headers.hpp"
#include "fake_descriptors.hpp"
#include "fixture.hpp"

#include <span>
#include <sys/mman.h>
#include <vector>

namespace clotho::test {

/// What another program sees of some memory.
class OtherView {
 public:
  OtherView(int fd, size_t words)
      : size_(words * sizeof(cl_uint)), bytes_(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) {
    EXPECT_NE(bytes_, MAP_FAILED);
  }
  ~OtherView() { munmap(bytes_, size_); }
  OtherView(const OtherView&) = delete;
  std::span<cl_uint> words() const { return {static_cast<cl_uint*>(bytes_), size_ / sizeof(cl_uint)}; }

 private:
  size_t size_;
  void* bytes_;
};

/// A file of memory, of zeroes.
Descriptor makeMemory(size_t words, unsigned flags = MFD_ALLOW_SEALING);

/// What the tests of external memory have in common.
class ExternalMemoryApi : public Api {
 protected:
  using Properties = std::vector<cl_mem_properties>;
  static constexpr size_t kWords = 3000;

  void SetUp() override;
  static Properties imported(int fd, cl_mem_properties type = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR) {
    return {type, static_cast<cl_mem_properties>(fd), 0};
  }
  Owned<cl_mem> makeBuffer(const Properties& properties, cl_int expected = CL_SUCCESS, cl_mem_flags flags = 0,
                           size_t size = kWords * sizeof(cl_uint), void* host = nullptr);
  Owned<cl_mem> makeImage(const Properties& properties, const cl_image_desc& desc, cl_int expected = CL_SUCCESS,
                          cl_mem_flags flags = 0, void* host = nullptr);
  static cl_image_desc image2D(size_t width, size_t height, size_t pitch = 0) {
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_row_pitch = pitch;
    return desc;
  }
  void acquire(cl_command_queue queue, cl_mem memory) {
    ASSERT_EQ(acquire_(queue, 1, &memory, 0, nullptr, nullptr), CL_SUCCESS);
  }
  void giveBack(cl_command_queue queue, cl_mem memory) {
    ASSERT_EQ(release_(queue, 1, &memory, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  }
  void add(cl_command_queue queue, cl_mem buffer, cl_uint number, size_t words = kWords) {
    ASSERT_EQ(clSetKernelArg(adding_, 0, sizeof buffer, &buffer), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(adding_, 1, sizeof number, &number), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue, adding_, 1, nullptr, &words, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  }
  /// On every device of the context: what either side writes the other sees.
  void goesBothWays(cl_mem buffer, std::span<cl_uint> others);
  std::vector<cl_device_id> devices() const {
    return listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, context_, CL_CONTEXT_DEVICES));
  }

  decltype(&clEnqueueAcquireExternalMemObjectsKHR) acquire_ = nullptr;
  decltype(&clEnqueueReleaseExternalMemObjectsKHR) release_ = nullptr;
  Owned<cl_kernel> adding_;
};

} // namespace clotho::test
