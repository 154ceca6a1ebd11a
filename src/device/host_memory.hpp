// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace clotho {

/// Memory for buffers. Counts what it gives against the device's global memory, so that a program which asks for too
/// much gets an error instead of being killed when it touches the pages. Large pieces are mapped and untouched: the
/// thread that first writes a page decides where it lies.
class HostMemory {
 public:
  explicit HostMemory(std::uint64_t limit) : limit_(limit) {}

  void* allocate(std::size_t size, std::size_t alignment) noexcept;
  void deallocate(void* memory, std::size_t size) noexcept;
  std::uint64_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
};

} // namespace clotho
