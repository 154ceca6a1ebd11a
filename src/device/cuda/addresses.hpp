// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"

#include <cstddef>
#include <cstdint>
#include <map>

namespace clotho::cuda {

/// Memory that CUDA copies from and to in a stream while the host goes on. The driver tells by the address which it is;
/// this map answers without a call. One for the process, since GPUs copy from each other's memory.
class Addresses {
 public:
  enum class Kind : std::uint8_t {
    Pageable, ///< memory of the host's that is not known here
    Pinned,   ///< memory of the host's that stays where it is
    Device,   ///< of one of the GPUs
  };

  static Addresses& get() noexcept;

  /// Throws bad_alloc.
  void add(std::uintptr_t begin, std::size_t size, Kind kind) EXCLUDES(mutex_);
  void remove(std::uintptr_t begin) noexcept EXCLUDES(mutex_);
  /// Pageable unless one range has all of the bytes.
  Kind kindOf(const void* begin, std::size_t size) const noexcept EXCLUDES(mutex_);

 private:
  struct Bytes {
    std::size_t size;
    Kind kind;
  };
  mutable Mutex mutex_;
  std::map<std::uintptr_t, Bytes> ranges_ GUARDED_BY(mutex_); // by address
};

} // namespace clotho::cuda
