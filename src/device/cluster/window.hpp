// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"

#include <cstddef>
#include <cstdint>
#include <map>

namespace clotho::cluster {

/// Addresses of a node's memory, which this process reserves so that nothing of its own is there: an address says by
/// itself whose it is. Pieces are carved from them without asking the node, the lowest that fits first.
class Window {
 public:
  /// Reserves so many bytes of addresses, beginning at a multiple of `alignment`; `size()` is 0 if the process cannot
  /// have them.
  explicit Window(std::uint64_t size, std::uint64_t alignment = kPage) noexcept;
  /// Variant for addresses that are given.
  struct At {
    std::uint64_t base;
  };
  Window(std::uint64_t size, At place) noexcept;
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  std::uint64_t base() const { return base_; }
  std::uint64_t size() const { return size_; }
  bool contains(const void* address) const noexcept {
    return reinterpret_cast<std::uintptr_t>(address) - base_ < size_;
  }

  /// Bytes that a piece of this size takes: pieces do not share pages, which the node gives and takes.
  static std::uint64_t roomFor(std::uint64_t size) noexcept { return (size + kPage - 1) / kPage * kPage; }
  /// The address of a new piece; 0 if no gap is large enough. Throws bad_alloc.
  std::uint64_t carve(std::uint64_t size, std::uint64_t alignment) EXCLUDES(mutex_);
  void giveBack(std::uint64_t address) noexcept EXCLUDES(mutex_);

 private:
  static constexpr std::uint64_t kPage = 4096;

  /// Maps nothing there, or anywhere if `flags` does not say that it must be there; 0 if that cannot be.
  static std::uint64_t reserve(std::uint64_t base, std::uint64_t size, int flags) noexcept;

  std::uint64_t base_ = 0, size_ = 0;
  Mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> used_ GUARDED_BY(mutex_); ///< begin and end of each piece
};

} // namespace clotho::cluster
