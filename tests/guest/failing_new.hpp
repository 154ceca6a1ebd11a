// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

/// For programs of one source file: their operator new, which the driver uses too, fails while the program says so.
namespace guest {

inline std::atomic<bool> newFails{false};

} // namespace guest

void* operator new(std::size_t size) {
  void* memory = guest::newFails ? nullptr : std::malloc(size ? size : 1);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return guest::newFails ? nullptr : std::malloc(size ? size : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
