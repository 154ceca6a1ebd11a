// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "session.hpp"

#include <cstddef>
#include <cstdint>

namespace bench {

/// A buffer that the program itself works on, too.
class MappableBuffer {
 public:
  MappableBuffer(Session& session, std::size_t size);
  ~MappableBuffer();
  MappableBuffer(const MappableBuffer&) = delete;
  MappableBuffer& operator=(const MappableBuffer&) = delete;

  cl_mem get() const { return buffer_; }
  char* map();
  void unmap(char* memory);

 private:
  Session& session_;
  std::size_t size_;
  cl_mem buffer_ = nullptr;
};

/// Words that all differ; other ones for another seed.
void writePattern(char* memory, std::size_t size, std::uint64_t seed);

} // namespace bench
