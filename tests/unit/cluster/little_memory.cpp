// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "little_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace clotho::node::test {

namespace {

thread_local int allocationsLeft = -1;
thread_local bool hasAnyFailed = false;

[[maybe_unused]] void* allocateOrThrow(std::size_t size, std::size_t alignment) {
  if (allocationsLeft == 0) {
    hasAnyFailed = true;
    throw std::bad_alloc();
  }
  if (allocationsLeft > 0) --allocationsLeft;
  void* memory =
      std::aligned_alloc(alignment, (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

} // namespace

LittleMemory::LittleMemory(int allocations) {
  hasAnyFailed = false;
  allocationsLeft = allocations;
}
LittleMemory::~LittleMemory() { allocationsLeft = -1; }
bool LittleMemory::hasFailed() { return hasAnyFailed; }

} // namespace clotho::node::test

#if !defined(CLOTHO_SANITIZED)
using clotho::node::test::allocateOrThrow;
void* operator new(std::size_t size) { return allocateOrThrow(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocateOrThrow(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif
