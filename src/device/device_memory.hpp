// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace clotho {

class DeviceQueue;

/// Memory that kernels of some devices reach, and that is not the host's: a home of its own for the bytes of memory
/// objects. Addresses are as those kernels see them. Any thread.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  /// Null when there is not so much left. Zero bytes are never asked for.
  virtual void* allocate(std::size_t size, std::size_t alignment) noexcept = 0;
  virtual void deallocate(void* memory, std::size_t size) noexcept = 0;
  /// Whether the caller may choose addresses of memory: those that the process has nothing at, from a multiple of
  /// kPlaceAlignment on.
  virtual bool canPlace() const noexcept { return false; }
  static constexpr std::size_t kPlaceAlignment = std::size_t{1} << 30;
  /// False if something is there, or if there is not so much left.
  virtual bool allocateAt(void* memory, std::size_t size) noexcept {
    static_cast<void>(memory);
    static_cast<void>(size);
    return false;
  }
  virtual void deallocateAt(void* memory, std::size_t size) noexcept {
    static_cast<void>(memory);
    static_cast<void>(size);
  }
  /// Copies a few bytes of the host's into memory that was allocated here, and returns when they are there. False where
  /// the device has failed.
  virtual bool write(void* to, const void* from, std::size_t size) noexcept = 0;
  /// Runs copies between this memory and the host's, and from such as canCopyFrom() names (commands of the kind
  /// `Copy`).
  virtual DeviceQueue& transfers() noexcept = 0;
  /// Whether bytes of `other` can be copied here without a stop in the host's memory.
  virtual bool canCopyFrom(const DeviceMemory& other) const noexcept {
    static_cast<void>(other);
    return false;
  }
  /// Makes pages of the host's memory stay where they are, because bytes are often copied between them and here. False
  /// if that cannot be, or need not.
  virtual bool pin(void* memory, std::size_t size) noexcept {
    static_cast<void>(memory);
    static_cast<void>(size);
    return false;
  }
  /// Before the host's memory is given back. False if the device may use it for ever.
  virtual bool unpin(void* memory) noexcept {
    static_cast<void>(memory);
    return true;
  }

  // Shared memory that has one address for the host and all devices, and whose pages the driver moves.
  /// Whether there is such memory; other devices, but far ones of tests, reach the host's (SharedMemory).
  virtual bool canShare() const noexcept { return false; }
  /// `isOwned`: it had better lie here. Null when there is not so much left.
  virtual void* allocateShared(std::size_t size, std::size_t alignment, bool isOwned) noexcept {
    static_cast<void>(size);
    static_cast<void>(alignment);
    static_cast<void>(isOwned);
    return nullptr;
  }
  virtual void deallocateShared(void* memory) noexcept { static_cast<void>(memory); }
};

} // namespace clotho
