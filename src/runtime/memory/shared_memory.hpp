// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/handles.hpp"
#include "base/mutex.hpp"
#include "base/object.hpp"
#include "command/command.hpp"
#include "device/device.hpp"
#include "device/device_memory.hpp"
#include "device/host_memory.hpp"
#include "runtime/memory/guarded_block.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace clotho {

/// Wishes for an allocation of shared memory: for queries, and for what may be done with it.
struct SharedTraits {
  /// By whom it is owned, which is also the function that made it.
  enum class Kind : std::uint8_t {
    CoarseGrain, ///< clSVMAlloc: the host needs a map
    FineGrain,   ///< clSVMAlloc with CL_MEM_SVM_FINE_GRAIN_BUFFER
    Host,        ///< clHostMemAllocINTEL
    Device,      ///< clDeviceMemAllocINTEL
    Shared,      ///< clSharedMemAllocINTEL
  };
  Kind kind = Kind::CoarseGrain;
  cl_bitfield flags = 0;                 ///< CL_MEM_ALLOC_FLAGS_INTEL, or those of clSVMAlloc
  cl_bitfield access = 0;                ///< CL_SVM_ALLOC_ACCESS_FLAGS_KHR
  Ref<Device> device{};                  ///< with which it is associated; null: none
  std::vector<cl_properties> properties; ///< of the extension that made it, with the 0 at its end; empty: none

  bool isUnified() const { return kind >= Kind::Host; }
};

/// An allocation as it is now; another thread may free it at any time.
struct SharedAllocation {
  std::byte* begin = nullptr;
  std::size_t size = 0;
  SharedTraits traits{};
  Ref<GuardedBlock> guard{};      ///< of what may be touched only at times; null: always
  DeviceMemory* source = nullptr; ///< which has allocated it; null: the host's memory
  std::size_t zone = 0;           ///< unused bytes on both sides, where kernels are checked (CLOTHO_CHECK)

  /// How many bytes there are from `pointer`, which lies in it, to its end.
  std::size_t roomAt(const void* pointer) const {
    return size - static_cast<std::size_t>(static_cast<const std::byte*>(pointer) - begin);
  }
};

/// The memory of a context that host and devices address alike: shared virtual memory (section 5.6) and what extensions
/// have of the kind. CPU devices reach the host's memory, so it lies there, also that of far devices: one process
/// cannot have two stores at one address. In contexts with GPUs it is the GPU's driver's, which moves pages to where
/// they are used (DeviceMemory::allocateShared). Look-ups by address serve queries, checks, and the bounds of indices;
/// no command depends on them.
///
/// Pages of large allocations are not touched here, so they come to lie near the worker that writes them first.
class SharedMemory {
 public:
  /// Size of the largest type of OpenCL (long16): alignment of allocations without a wish, and the most that clSVMAlloc
  /// takes.
  static constexpr std::size_t kLargestType = 128;
  /// The most that other allocations may be aligned to, in bytes.
  static constexpr std::size_t kMostAligned = 64 << 10;

  /// `memory`: the process's. `source`: the memory of a device that has shared memory of its own, or null. Both outlive
  /// this. `isGuarded`: allocations that want maps cannot be touched without (GuardedBlock).
  SharedMemory(HostMemory& memory, DeviceMemory* source, bool isGuarded)
      : memory_(memory), source_(source), isGuarded_(isGuarded) {}
  /// Frees what is left: the functions that free want a context, so that none can be called for it any more.
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// `alignment`: a power of two up to kMostAligned. Null when there is not so much memory left.
  void* allocate(std::size_t size, std::size_t alignment, SharedTraits traits) EXCLUDES(mutex_);
  /// Frees what begins at `pointer`; false when nothing does.
  bool free(void* pointer) noexcept EXCLUDES(mutex_);
  /// The allocation that has this byte.
  std::optional<SharedAllocation> find(const void* pointer) const EXCLUDES(mutex_);
  /// Bounds of an allocation; empty if there is none.
  struct Extent {
    std::uintptr_t begin = 0, end = 0;
    std::size_t size() const { return end - begin; }
    bool overlaps(const Extent& other) const { return begin < other.end && other.begin < end; }
  };
  Extent extentAround(const void* pointer) const EXCLUDES(mutex_);
  /// Each extent of no size becomes that of the allocation that has its address; where there is none it stays.
  void widen(std::span<Extent> extents) const EXCLUDES(mutex_);
  bool contains(const void* pointer) const EXCLUDES(mutex_) { return extentAround(pointer).size() != 0; }

  /// The bytes of the allocation that has this one, for tools: another thread may free it right afterwards.
  struct Duplicate {
    std::uintptr_t begin;
    SharedTraits::Kind kind;
    std::string bytes;
  };
  /// Nothing if there is no such allocation, or the host cannot read it.
  std::optional<Duplicate> copyAround(const void* pointer) const EXCLUDES(mutex_);
  /// Bounds of all of them, in order.
  std::vector<Extent> extents() const EXCLUDES(mutex_);

  bool isGuarded() const { return isGuarded_; }
  /// The command's use of guarded blocks; null if there is none.
  std::unique_ptr<GuardedUse> guardedUse(const Command& command, HomeId home) const EXCLUDES(mutex_);
  /// Copies from the application's memory, which may be in a guarded block that is not mapped.
  void copyFrom(void* target, const void* source, std::size_t size) const EXCLUDES(mutex_);

 private:
  using Allocations = std::map<std::uintptr_t, SharedAllocation>; // by the address of the first byte

  /// The guarded blocks that the command uses; each once.
  void addGuards(const Command& command, HomeId home, std::vector<Ref<GuardedBlock>>& blocks) const REQUIRES(mutex_);

  Allocations::const_iterator around(std::uintptr_t address) const REQUIRES(mutex_);

  void deallocate(const SharedAllocation& allocation) noexcept;
  /// Keeps freed memory from use for a while, so that checked kernels which use it are found.
  void retire(Allocations::node_type freed) noexcept EXCLUDES(mutex_);

  HostMemory& memory_;
  DeviceMemory* const source_;
  const bool isGuarded_;
  mutable Mutex mutex_;
  Allocations allocations_ GUARDED_BY(mutex_);
  std::deque<Allocations::node_type> retired_ GUARDED_BY(mutex_);
  std::size_t retiredBytes_ GUARDED_BY(mutex_) = 0;
};

} // namespace clotho
