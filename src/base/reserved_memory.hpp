// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace clotho {

/// A range of addresses, of which only those parts count as memory that have been made usable. The others can't be
/// accessed, and the process is charged for them neither where the system promises no more memory than it has
/// (vm.overcommit_memory=2), nor by a limit on data (RLIMIT_DATA), nor where it locks what it maps
/// (mlockall(MCL_FUTURE)). A limit on address space (RLIMIT_AS) counts the whole range.
///
/// A plain value: who reserves a range releases it, or keeps it for ever.
class ReservedMemory {
 public:
  constexpr ReservedMemory() = default;
  /// Whole pages, at least `size` bytes; `base()` is null when the process can't have so many addresses. `flags`:
  /// further ones for mmap, such as MAP_STACK.
  static ReservedMemory reserve(std::size_t size, int flags = 0) noexcept;
  void release() noexcept;

  std::byte* base() const { return base_; }
  std::size_t size() const { return size_; }

  /// Makes whole pages from `offset` on readable and writable, which hold zeros until they are written; false without
  /// memory. Any thread, also several at once for the same pages. Where the process locks its memory, each of these
  /// pages is locked from the moment it is first touched, or left unlocked where the limit (RLIMIT_MEMLOCK) forbids it.
  bool makeUsable(std::size_t offset, std::size_t size) const noexcept;

  static std::size_t pageSize() noexcept;
  static std::size_t toPages(std::size_t size) noexcept { return (size + pageSize() - 1) / pageSize() * pageSize(); }

 private:
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  bool isForLocking_ = false; ///< the process locked what it mapped when this was reserved
};

} // namespace clotho
