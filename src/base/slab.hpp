// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/reserved_memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace clotho {

/// Type-stable memory for the objects of one kind: one reserved address range, cut into slots. A pointer that an
/// application passes is judged by range, alignment and the slot's live mark, so a null, released or foreign handle is
/// recognised without reading memory that may be gone. The range becomes memory in pieces, as slots are handed out for
/// the first time. Lock-free. Slots that are given back go to one list and are
/// handed out from another, which gets all of them when it is empty: where one thread makes the objects and another
/// ends them, the two rarely meet.
class SlabRange {
 public:
  SlabRange(std::size_t objectSize, std::size_t objectAlignment, std::size_t maxObjects);
  SlabRange(const SlabRange&) = delete;
  SlabRange& operator=(const SlabRange&) = delete;

  /// Memory for one object; null when the range is used up, or there is no memory for a further piece of it.
  void* allocate() noexcept;
  void deallocate(void* object) noexcept;

  /// Whether `pointer` is the start of an object that is allocated now.
  bool isLive(const void* pointer) const noexcept;
  /// Slots in use; for leak tests: looks at each.
  std::size_t liveCount() const noexcept;
  /// Has the cache fetch what isLive and the first look at the object read; any pointer.
  void prefetch(const void* pointer) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    __builtin_prefetch(reinterpret_cast<const void*>(address - header_)); // NOLINT(performance-no-int-to-ptr): not read
    for (std::uintptr_t at : {address, address + 64})                     // for writing: references are counted
      __builtin_prefetch(reinterpret_cast<const void*>(at), 1);           // NOLINT(performance-no-int-to-ptr): likewise
  }

 private:
  struct Slot {
    std::atomic<std::uint32_t> live;
    std::atomic<std::uint32_t> next; // index + 1 of the next free slot; 0 ends the list
  };
  /// A list of free slots: index + 1 of its first below, a change count above against ABA.
  using List = std::atomic<std::uint64_t>;
  static std::uint32_t firstOf(std::uint64_t list) { return static_cast<std::uint32_t>(list); }
  static std::uint64_t changed(std::uint64_t list, std::uint32_t first) { return ((list >> 32) + 1) << 32 | first; }

  std::uint32_t pop(List& list) noexcept;
  void push(List& list, std::uint32_t first, std::uint32_t last) noexcept;
  std::uint32_t takePile() noexcept;
  bool makeUsable(std::size_t index) noexcept;

  Slot& slot(std::size_t index) const noexcept { return *reinterpret_cast<Slot*>(memory_.base() + index * stride_); }

  ReservedMemory memory_;
  std::size_t header_;
  std::size_t stride_;
  std::size_t capacity_;
  std::atomic<std::size_t> usable_{0};           // bytes of the range that are memory
  alignas(64) std::atomic<std::size_t> used_{0}; // slots ever handed out: these can be read
  List free_{0};                                 // to be handed out
  alignas(64) List returned_{0};                 // given back
};

template <class T> class Slab {
 public:
  explicit Slab(std::size_t maxObjects) : range_(sizeof(T), alignof(T), maxObjects) {}

  template <class... Args> T* create(Args&&... args) {
    void* memory = range_.allocate();
    if (!memory) throw std::bad_alloc();
    try {
      return new (memory) T(static_cast<Args&&>(args)...);
    } catch (...) {
      range_.deallocate(memory);
      throw;
    }
  }
  void destroy(T* object) noexcept {
    object->~T();
    range_.deallocate(object);
  }
  bool isLive(const T* object) const noexcept { return range_.isLive(object); }
  std::size_t liveCount() const noexcept { return range_.liveCount(); }
  void prefetch(const T* object) const noexcept { range_.prefetch(object); }

 private:
  SlabRange range_;
};

} // namespace clotho
