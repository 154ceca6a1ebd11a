// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/object.hpp"

#include <cstddef>
#include <vector>

namespace clotho {

/// Whole pages of shared memory that the host may touch only while they are mapped, and kernels only while they run:
/// at all other times each access traps. So a program that forgets a map, or forgets to say what a kernel reaches, is
/// caught on a device that is there for such tests. The bytes stay as they are.
///
/// Pages are protected for all threads of a process alike, so a host that touches them while a command uses them, too,
/// goes unnoticed.
class GuardedBlock final : public Object {
 public:
  /// Closed. Nothing is protected where the system will not.
  GuardedBlock(std::byte* begin, std::size_t bytes);

  void open() noexcept EXCLUDES(mutex_);
  void close() noexcept EXCLUDES(mutex_);
  /// Opens the block for good: its pages are freed next.
  void retire() noexcept EXCLUDES(mutex_);

 private:
  ~GuardedBlock() override = default;
  void protect(int protection) const noexcept REQUIRES(mutex_);

  std::byte* const begin_;
  const std::size_t bytes_;
  Mutex mutex_;
  std::size_t uses_ GUARDED_BY(mutex_) = 0;
  bool isRetired_ GUARDED_BY(mutex_) = false;
};

/// A command's use of such blocks.
class GuardedUse {
 public:
  enum class How : unsigned char {
    WhileRunning,
    FromThen,  ///< the command is a map
    UntilThen, ///< the command is the end of one
  };
  GuardedUse() = default;
  GuardedUse(How how, std::vector<Ref<GuardedBlock>> blocks) : how_(how), blocks_(std::move(blocks)) {}

  void begin() noexcept;
  void end() noexcept;

 private:
  How how_ = How::WhileRunning;
  bool hasBegun_ = false;
  std::vector<Ref<GuardedBlock>> blocks_;
};

} // namespace clotho
