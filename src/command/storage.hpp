// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/object.hpp"
#include "device/device_memory.hpp"
#include "device/host_memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

namespace clotho {

class Node;
class Transfer;

/// A place where the bytes of a memory object may lie, by its number in the context: 0 is the host's memory, which is
/// that of CPU devices but far ones, too; each other one is the memory of a device.
using HomeId = std::uint8_t;
inline constexpr HomeId kHostHome = 0;

/// Bytes [begin, end) of a storage.
struct Range {
  std::uint64_t begin = 0, end = 0;
};

/// A transfer that a command has to wait for.
struct Need {
  Ref<Transfer> transfer;
  bool bringsBytes; ///< that the command uses; else it only comes before the command
};

/// A command's access to bytes. A command that may leave some of the bytes as they were reads and writes them.
enum class Access : std::uint8_t { Read, ReadWrite, Discard };

/// The homes of a context's memory objects.
class Homes final : public Object {
 public:
  /// As many as a mask of 64 bits has room for.
  static constexpr std::size_t kMost = 64;

  /// `memories`: of the devices that have one of their own, each once; they outlive this, as `host` does.
  Homes(HostMemory& host, std::vector<DeviceMemory*> memories) : host_(host), memories_(std::move(memories)) {}

  std::size_t count() const { return 1 + memories_.size(); }
  /// The home of a device with this memory; null: the host's.
  HomeId of(const DeviceMemory* memory) const;
  void* allocate(HomeId home, std::size_t size, std::size_t alignment) noexcept;
  void deallocate(HomeId home, void* memory, std::size_t size) noexcept;
  /// Puts a few bytes of the host's into new memory of a home; null when there is none left, or the device has failed.
  void* allocateCopy(HomeId home, const void* bytes, std::size_t size, std::size_t alignment) noexcept;
  /// The memory of the device whose home it is; not for the host's home.
  DeviceMemory& memory(HomeId home) const { return *memories_[home - 1U]; }
  /// Makes memory of the host's stay where it is for the devices; whether any of them wants that.
  bool pin(void* memory, std::size_t size) noexcept;
  /// False if the memory is not to be given back.
  bool unpin(void* memory) noexcept;
  /// Whether bytes go from one device's memory to another's without a stop in the host's; neither home is the host's.
  bool canCopy(HomeId from, HomeId to) const { return memory(to).canCopyFrom(memory(from)); }

 private:
  HostMemory& host_;
  const std::vector<DeviceMemory*> memories_;
};

/// The bytes of memory objects, in as many homes as they are used in, and where they are valid.
///
/// Addresses are fixed from `allocateOn` on, which enqueueing calls, since that is where OpenCL wants the error. What
/// is valid is asked when a command is about to start, since with user events and out-of-order queues the order of
/// enqueueing says nothing. It is known by intervals, so that disjoint sub-buffers may be written on two devices at
/// once (OpenCL 2.2, section 5.2.1). A context whose devices all work in the host's memory has one home: then nothing
/// is tracked, locked or copied.
class Storage final : public Object {
 public:
  /// `hostPointer`: the application's memory, which is the host's home then; or null. `isExternal`: it may also lie at
  /// other addresses.
  Storage(Homes& homes, std::size_t size, std::size_t alignment, void* hostPointer, bool isExternal = false);
  /// Over memory that host and devices address alike: it is the home of the bytes for all of them.
  struct SharedBytes {
    void* begin;
  };
  Storage(Homes& homes, std::size_t size, SharedBytes bytes);

  std::size_t size() const { return size_; }
  /// Whether there is more than one home.
  bool isTracked() const { return others_ != nullptr; }
  /// Whether it was made over shared memory.
  bool isShared() const { return isShared_; }
  /// Whether another storage may have the same bytes at other addresses.
  bool isExternal() const { return isExternal_; }

  /// From now on its memory of the host's own stays where it is if a device wants that (DeviceMemory::pin). Before it
  /// has any.
  void setPinned() noexcept { isPinned_ = isTracked() && ownsHost_; }
  /// Makes sure that there is memory in a home. Throws CL_MEM_OBJECT_ALLOCATION_FAILURE.
  void allocateOn(HomeId home) EXCLUDES(mutex_) {
    if (!address(home)) allocate(home);
  }
  /// Address of the first byte, as the devices of the home see it; null before `allocateOn`.
  std::byte* address(HomeId home) const noexcept {
    return (home == kHostHome || !others_ ? host_ : others_[home - 1U]).load(std::memory_order_acquire);
  }

  /// For a command that is about to use the bytes in a home where they have memory: adds to `needed` the transfers that
  /// it has to wait for, new ones (not armed yet) and such as are under way, also when it throws: bad_alloc, or
  /// CL_MEM_OBJECT_ALLOCATION_FAILURE where bytes come by way of the host, which has no memory. `mayNotRun`: others may
  /// start behind the command and find out later that it never ran, so bytes that it is to write anew come, too.
  void acquire(HomeId home, Range range, Access access, std::vector<Need>& needed, bool mayNotRun = false)
      EXCLUDES(mutex_);
  /// The bytes were written in this home, or `writer` starts, a command that writes them and calls writerEnded: they
  /// are valid there alone. Not earlier, since a command whose transfers fail never starts, and what it was to write
  /// stays as it was.
  void noteWritten(HomeId home, Range range, Node* writer = nullptr) EXCLUDES(mutex_);
  /// The command is over: what it has written of these bytes may be moved. If it never ran, or counts as such, they are
  /// as they were before. `range`: as noteWritten was told.
  void writerEnded(const Node& writer, Range range, bool hasRun) noexcept EXCLUDES(mutex_);
  /// A transfer is over; by Transfer.
  void transferEnded(const Transfer& transfer, bool isDone) noexcept EXCLUDES(mutex_);

 private:
  /// The state of bytes that were last written by the same command.
  struct State {
    std::uint64_t valid = 0;   ///< a bit for each home
    std::uint64_t version = 0; ///< another one with each write
    /// The command, if it is not over. Transfers come behind it, though the command that they are made for may not:
    /// that one may read anything, but later ones find the bytes as the writer left them.
    Node* writer = nullptr;
    bool operator==(const State&) const = default;
  };
  struct Interval : State {
    std::uint64_t end = 0; ///< begins where the one before it ends
    /// States that hold again if the writers of later ones never run, the oldest first, which has no writer. As many as
    /// commands that write the bytes are under way; empty if none is.
    std::list<State> before{};
  };

  ~Storage() override;
  void allocate(HomeId home) EXCLUDES(mutex_);
  void allocateLocked(HomeId home) REQUIRES(mutex_);
  /// The index of the interval with this byte.
  std::size_t intervalAt(std::uint64_t place) const REQUIRES(mutex_);
  /// Makes an interval begin there; the index of that.
  std::size_t cutAt(std::uint64_t place) REQUIRES(mutex_);
  void setWritten(HomeId home, Range range, Node* writer) REQUIRES(mutex_);
  /// Forgets a writer of an interval, which begins at `begin`, if it is one.
  void settle(Interval& interval, std::uint64_t begin, const Node& writer, bool hasRun) noexcept REQUIRES(mutex_);
  /// Whether nothing tells the bytes of neighbours from each other.
  static bool areAlike(const Interval& a, const Interval& b) noexcept;
  void mergeIntervals() noexcept REQUIRES(mutex_);
  /// Whether a transfer that is under way will make these bytes of this version valid in the home.
  bool isComing(HomeId home, Range range, std::uint64_t version) const noexcept REQUIRES(mutex_);
  /// Whether a transfer brings bytes of the range that have not been written anew since it was made.
  bool bringsBytes(const Transfer& transfer, Range range) const noexcept REQUIRES(mutex_);
  /// Begins to move bytes that have one state; `needed` as above.
  void transfer(HomeId from, HomeId to, Range range, const State& state, std::vector<Need>& needed) REQUIRES(mutex_);

  const Ref<Homes> homes_;
  const std::size_t size_, alignment_;
  const bool ownsHost_;
  const bool isShared_ = false;
  const bool isExternal_ = false;
  bool isPinned_ = false;
  std::atomic<std::byte*> host_{nullptr};
  std::unique_ptr<std::atomic<std::byte*>[]> others_; ///< of home 1 and so on; null where there is one home
  mutable Mutex mutex_;
  std::vector<Interval> intervals_ GUARDED_BY(mutex_);
  std::vector<Ref<Transfer>> underWay_ GUARDED_BY(mutex_);
  std::uint64_t lastVersion_ GUARDED_BY(mutex_) = 0;
};

/// A memory object as commands know it: bytes of a storage. Commands keep it alive.
class MemoryView : public Object {
 public:
  Storage& storage() const { return *storage_; }
  std::size_t size() const { return size_; }
  std::uint64_t begin() const { return begin_; } ///< in the storage
  Range range() const { return {begin_, begin_ + size_}; }
  Range range(std::size_t offset, std::size_t size) const { return {begin_ + offset, begin_ + offset + size}; }
  /// Kernels only read it.
  bool isReadOnly() const { return isReadOnly_; }

  /// A map failed, so it never began: its number is what the map's command has. No lock held.
  virtual void takeBackMap(std::uint64_t) noexcept {}

  /// The bytes in a home where they have memory.
  std::byte* addressOn(HomeId home) const noexcept { return storage_->address(home) + begin_; }

  /// Time at which a kernel last changed the bytes in place, noted by the device by a clock of its own; 0 if none has
  /// since another kernel wrote them anew.
  std::atomic<std::uint64_t>& changedAt() { return changedAt_; }

 protected:
  /// The bytes, where there is one home, in which they have memory; else null.
  std::byte* bytesInOnlyHome() const { return onlyHome_; }
  /// A storage with one home has memory in it.
  MemoryView(Ref<Storage> storage, std::uint64_t begin, std::size_t size, bool isReadOnly)
      : storage_(std::move(storage)), begin_(begin), size_(size), isReadOnly_(isReadOnly),
        onlyHome_(storage_->isTracked() ? nullptr : addressOn(kHostHome)) {}

 private:
  const Ref<Storage> storage_;
  const std::uint64_t begin_;
  const std::size_t size_;
  const bool isReadOnly_;
  std::byte* const onlyHome_;
  std::atomic<std::uint64_t> changedAt_{0};
};

} // namespace clotho
