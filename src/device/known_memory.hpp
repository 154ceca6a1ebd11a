// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"

#include <cstddef>
#include <cstdint>
#include <map>

namespace clotho {

/// The shared memory of the process, for checked kernels: a pointer that a kernel has loaded tells by its address what
/// it points to. Other memory of the host's, to which
/// programs may also point, is unknown.
class KnownMemory {
 public:
  enum class State : std::uint8_t { Unknown, Live, Freed, Beside };
  struct Found {
    State state = State::Unknown;
    std::uintptr_t begin = 0;
    std::size_t size = 0;
    std::size_t zone = 0; ///< bytes on both sides that belong to no other memory
  };

  static KnownMemory& get();

  void add(const void* begin, std::size_t size, std::size_t zone) EXCLUDES(mutex_);
  /// The memory is freed, but its addresses are not used again until it is forgotten.
  void free(const void* begin) noexcept EXCLUDES(mutex_);
  void forget(const void* begin) noexcept EXCLUDES(mutex_);
  /// The memory that has this byte, or lies beside it.
  Found find(std::uintptr_t address) const EXCLUDES(mutex_);

 private:
  struct Entry {
    std::size_t size, zone;
    bool isFreed = false;
  };

  mutable Mutex mutex_;
  std::map<std::uintptr_t, Entry> entries_ GUARDED_BY(mutex_); // by the address of the first byte
};

} // namespace clotho
