// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mappable_buffer.hpp"

#include <cstring>

namespace bench {

MappableBuffer::MappableBuffer(Session& session, std::size_t size) : session_(session), size_(size) {
  cl_int status;
  buffer_ = clCreateBuffer(session.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, nullptr, &status);
  check(status, "clCreateBuffer");
}

MappableBuffer::~MappableBuffer() { clReleaseMemObject(buffer_); }

char* MappableBuffer::map() {
  cl_int status;
  void* memory = clEnqueueMapBuffer(session_.queue, buffer_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size_, 0, nullptr,
                                    nullptr, &status);
  check(status, "clEnqueueMapBuffer");
  return static_cast<char*>(memory);
}

void MappableBuffer::unmap(char* memory) {
  check(clEnqueueUnmapMemObject(session_.queue, buffer_, memory, 0, nullptr, nullptr), "clEnqueueUnmapMemObject");
  check(clFinish(session_.queue), "clFinish");
}

void writePattern(char* memory, std::size_t size, std::uint64_t seed) {
  for (std::size_t i = 0; i + 8 <= size; i += 8) {
    std::uint64_t word = (i + seed) * 0x9e3779b97f4a7c15U;
    std::memcpy(memory + i, &word, 8);
  }
}

} // namespace bench
