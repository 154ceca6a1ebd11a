// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/slab.hpp"

#include <algorithm>
#include <cstdint>
#include <sys/resource.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CLOTHO_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define CLOTHO_ADDRESS_SANITIZER
#endif

#ifdef CLOTHO_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#define CLOTHO_LEAK_ROOT(begin, size) __lsan_register_root_region(begin, size) // reads what can be read of it
#else
#define CLOTHO_LEAK_ROOT(begin, size) static_cast<void>(0)
#endif

namespace clotho {

namespace {
/// Each range takes at most one part in so many of the addresses that the process may map.
constexpr rlim_t kMostOfLimit = 48;
/// Slots become memory in pieces: the first is as large as this, and each further one as all before it together, up to
/// the most.
constexpr std::size_t kLeastPiece = std::size_t{64} << 10, kMostPiece = std::size_t{16} << 20;

std::size_t roundUp(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }
} // namespace

SlabRange::SlabRange(std::size_t objectSize, std::size_t objectAlignment, std::size_t maxObjects)
    : header_(roundUp(sizeof(Slot), objectAlignment)),
      stride_(roundUp(header_ + objectSize, std::max<std::size_t>(objectAlignment, 64))), capacity_(maxObjects) {
  // Addresses cost nothing, but a limit on them counts them all: most of it is for others.
  rlimit addresses;
  if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY)
    capacity_ = std::min<std::size_t>(capacity_, addresses.rlim_cur / kMostOfLimit / stride_);
  for (;; capacity_ /= 2) {
    if (capacity_ < 64) throw std::bad_alloc();
    memory_ = ReservedMemory::reserve(capacity_ * stride_);
    if (memory_.base()) break;
  }
  CLOTHO_LEAK_ROOT(memory_.base(), memory_.size());
}

/// Takes the first slot of a list; index + 1, or 0 when it is empty.
std::uint32_t SlabRange::pop(List& list) noexcept {
  std::uint64_t head = list.load(std::memory_order_acquire);
  while (std::uint32_t first = firstOf(head)) {
    std::uint32_t next = slot(first - 1).next.load(std::memory_order_relaxed);
    if (list.compare_exchange_weak(head, changed(head, next), std::memory_order_acq_rel, std::memory_order_acquire)) {
      // The thread that ended the next object wrote there last.
      if (next) __builtin_prefetch(&slot(next - 1), 1);
      return first;
    }
  }
  return 0;
}

/// Puts slots that are linked from `first` to `last` in front of a list.
void SlabRange::push(List& list, std::uint32_t first, std::uint32_t last) noexcept {
  std::uint64_t head = list.load(std::memory_order_relaxed);
  do
    slot(last - 1).next.store(firstOf(head), std::memory_order_relaxed);
  while (!list.compare_exchange_weak(head, changed(head, first), std::memory_order_acq_rel, std::memory_order_relaxed));
}

/// Takes one slot of those that were given back; the others become the free list.
std::uint32_t SlabRange::takePile() noexcept {
  std::uint64_t head = returned_.load(std::memory_order_acquire);
  do
    if (firstOf(head) == 0) return 0;
  while (
      !returned_.compare_exchange_weak(head, changed(head, 0), std::memory_order_acq_rel, std::memory_order_acquire));
  std::uint32_t first = firstOf(head), rest = slot(first - 1).next.load(std::memory_order_relaxed);
  if (rest == 0) return first;
  std::uint64_t empty = free_.load(std::memory_order_relaxed);
  if (firstOf(empty) == 0 && free_.compare_exchange_strong(empty, changed(empty, rest), std::memory_order_acq_rel))
    return first;
  // Another thread has filled the list meanwhile.
  std::uint32_t last = rest;
  while (std::uint32_t next = slot(last - 1).next.load(std::memory_order_relaxed))
    last = next;
  push(free_, rest, last);
  return first;
}

/// Sees to it that a slot which was never handed out is memory. Several threads may do so at once for the same piece.
bool SlabRange::makeUsable(std::size_t index) noexcept {
  const std::size_t needed = (index + 1) * stride_;
  for (std::size_t usable = usable_.load(std::memory_order_acquire); usable < needed;) {
    const std::size_t least = ReservedMemory::toPages(kLeastPiece);
    std::size_t piece = std::min(std::clamp(usable, least, std::max(least, kMostPiece)), memory_.size() - usable);
    bool isThere = memory_.makeUsable(usable, piece);
    if (!isThere && piece > least) isThere = memory_.makeUsable(usable, piece = least);
    if (!isThere) return false;
    if (usable_.compare_exchange_strong(usable, usable + piece, std::memory_order_acq_rel)) usable += piece;
  }
  return true;
}

void* SlabRange::allocate() noexcept {
  std::uint32_t place = pop(free_);
  if (place == 0) place = takePile();
  if (place == 0) {
    std::size_t index = used_.load(std::memory_order_relaxed);
    do
      if (index >= capacity_ || !makeUsable(index)) return nullptr;
    while (!used_.compare_exchange_weak(index, index + 1, std::memory_order_release, std::memory_order_relaxed));
    place = static_cast<std::uint32_t>(index + 1);
  }
  slot(place - 1).live.store(1, std::memory_order_release);
  return memory_.base() + (place - 1) * stride_ + header_;
}

void SlabRange::deallocate(void* object) noexcept {
  std::size_t index = static_cast<std::size_t>(static_cast<std::byte*>(object) - memory_.base()) / stride_;
  slot(index).live.store(0, std::memory_order_release);
  auto place = static_cast<std::uint32_t>(index + 1);
  push(returned_, place, place);
}

std::size_t SlabRange::liveCount() const noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0, used = used_.load(std::memory_order_acquire); i < used; ++i)
    count += slot(i).live.load(std::memory_order_relaxed);
  return count;
}

bool SlabRange::isLive(const void* pointer) const noexcept {
  auto address = reinterpret_cast<std::uintptr_t>(pointer);
  auto first = reinterpret_cast<std::uintptr_t>(memory_.base()) + header_;
  if (address < first) return false;
  std::size_t offset = address - first;
  std::size_t index = offset / stride_;
  if (offset % stride_ != 0 || index >= used_.load(std::memory_order_acquire)) return false;
  return slot(index).live.load(std::memory_order_acquire) != 0;
}

} // namespace clotho
