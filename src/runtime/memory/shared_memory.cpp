// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/shared_memory.hpp"

#include "base/options.hpp"
#include "base/overloaded.hpp"
#include "base/reserved_memory.hpp"
#include "device/known_memory.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace clotho {

namespace {

std::uintptr_t numberOf(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

} // namespace

SharedMemory::~SharedMemory() {
  for (const auto& [begin, allocation] : allocations_)
    deallocate(allocation);
  for (const Allocations::node_type& freed : retired_)
    deallocate(freed.mapped());
}

void SharedMemory::deallocate(const SharedAllocation& allocation) noexcept {
  if (allocation.source) return allocation.source->deallocateShared(allocation.begin);
  if (allocation.guard) allocation.guard->retire();
  KnownMemory::get().forget(allocation.begin);
  if (allocation.zone != 0)
    return memory_.deallocate(allocation.begin - allocation.zone, allocation.size + 2 * allocation.zone);
  memory_.deallocate(allocation.begin, allocation.guard ? ReservedMemory::toPages(allocation.size) : allocation.size);
}

void* SharedMemory::allocate(std::size_t size, std::size_t alignment, SharedTraits traits) {
  const bool isGuarded = isGuarded_ && traits.kind == SharedTraits::Kind::CoarseGrain;
  const std::size_t bytes = isGuarded ? ReservedMemory::toPages(size) : size;
  if (isGuarded) alignment = std::max(alignment, ReservedMemory::pageSize());
  DeviceMemory* const owner = traits.device ? traits.device->memory() : nullptr;
  DeviceMemory* const source = owner && owner->canShare() ? owner : source_;
  const bool isOwned = source && source == owner && traits.kind == SharedTraits::Kind::Device;
  const bool hasZone = !options().check.empty() && !source && !isGuarded;
  const std::size_t zone = hasZone ? std::max(alignment, ReservedMemory::pageSize()) : 0;
  auto* begin = static_cast<std::byte*>(source ? source->allocateShared(bytes, alignment, isOwned)
                                               : memory_.allocate(bytes + 2 * zone, alignment));
  if (!begin) return nullptr;
  begin += zone;
  SharedAllocation allocation{begin, size, std::move(traits)};
  allocation.zone = zone;
  allocation.source = source;
  try {
    if (isGuarded) allocation.guard = Ref<GuardedBlock>::adopt(new GuardedBlock(begin, bytes));
    if (!source) KnownMemory::get().add(begin, size, zone);
    MutexLock lock(mutex_);
    allocations_.emplace(numberOf(begin), allocation);
  } catch (...) {
    deallocate(allocation);
    throw;
  }
  return begin;
}

bool SharedMemory::free(void* pointer) noexcept {
  Allocations::node_type freed; // its device is released without the lock
  {
    MutexLock lock(mutex_);
    freed = allocations_.extract(numberOf(pointer));
  }
  if (!freed) return false;
  if (freed.mapped().zone != 0)
    retire(std::move(freed));
  else
    deallocate(freed.mapped());
  return true;
}

void SharedMemory::retire(Allocations::node_type freed) noexcept {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  KnownMemory::get().free(freed.mapped().begin);
  MutexLock lock(mutex_);
  try {
    retired_.emplace_back();
  } catch (const std::bad_alloc&) {
    return deallocate(freed.mapped());
  }
  retiredBytes_ += freed.mapped().size;
  retired_.back() = std::move(freed);
  while (retiredBytes_ > kMostBytes) {
    retiredBytes_ -= retired_.front().mapped().size;
    deallocate(retired_.front().mapped());
    retired_.pop_front();
  }
}

SharedMemory::Allocations::const_iterator SharedMemory::around(std::uintptr_t address) const {
  const auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin()) return allocations_.end();
  const auto found = std::prev(next);
  return address - found->first < found->second.size ? found : allocations_.end();
}

std::optional<SharedAllocation> SharedMemory::find(const void* pointer) const {
  MutexLock lock(mutex_);
  const auto found = around(numberOf(pointer));
  if (found == allocations_.end()) return std::nullopt;
  return found->second;
}

SharedMemory::Extent SharedMemory::extentAround(const void* pointer) const {
  Extent extent{numberOf(pointer), numberOf(pointer)};
  widen({&extent, 1});
  return extent;
}

void SharedMemory::widen(std::span<Extent> extents) const {
  MutexLock lock(mutex_);
  for (Extent& extent : extents) {
    const auto found = around(extent.begin);
    if (found != allocations_.end()) extent = {found->first, found->first + found->second.size};
  }
}

void SharedMemory::copyFrom(void* target, const void* source, std::size_t size) const {
  const std::optional<SharedAllocation> allocation = isGuarded_ ? find(source) : std::nullopt;
  GuardedBlock* guard = allocation ? allocation->guard.get() : nullptr;
  if (guard) guard->open();
  std::memcpy(target, source, size);
  if (guard) guard->close();
}

std::optional<SharedMemory::Duplicate> SharedMemory::copyAround(const void* pointer) const {
  /// Other threads allocate and free between two chunks.
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  const auto known = find(pointer);
  if (!known || (known->source && known->traits.kind == SharedTraits::Kind::Device)) return std::nullopt;
  Duplicate copy{numberOf(known->begin), known->traits.kind, std::string(known->size, '\0')};
  for (std::size_t done = 0; done < known->size; done += kChunk) {
    MutexLock lock(mutex_); // during the copy, so that no thread frees the bytes meanwhile
    const auto found = allocations_.find(copy.begin);
    if (found == allocations_.end() || found->second.size != known->size) return std::nullopt;
    const SharedAllocation& allocation = found->second;
    if (allocation.guard) allocation.guard->open();
    std::memcpy(copy.bytes.data() + done, static_cast<const std::byte*>(allocation.begin) + done,
                std::min(kChunk, known->size - done));
    if (allocation.guard) allocation.guard->close();
  }
  return copy;
}

std::vector<SharedMemory::Extent> SharedMemory::extents() const {
  MutexLock lock(mutex_);
  std::vector<Extent> extents;
  extents.reserve(allocations_.size());
  for (const auto& [begin, allocation] : allocations_)
    extents.push_back({begin, begin + allocation.size});
  return extents;
}

void SharedMemory::addGuards(const Command& command, HomeId home, std::vector<Ref<GuardedBlock>>& blocks) const {
  const auto add = [&](const void* pointer) REQUIRES(mutex_) {
    const auto found = around(numberOf(pointer));
    if (found == allocations_.end() || !found->second.guard) return;
    if (std::find(blocks.begin(), blocks.end(), found->second.guard) == blocks.end())
      blocks.push_back(found->second.guard);
  };
  const auto addAll = [&](std::span<const Ref<RecordedCommand>> commands) REQUIRES(mutex_) {
    for (const Ref<RecordedCommand>& each : commands)
      addGuards(each->command(), home, blocks);
  };
  if (const auto* sequence = std::get_if<Sequence>(&command)) return addAll(sequence->commands);
  forEachOperand(command, [&](const MemoryView& memory, Range, Access) NO_THREAD_SAFETY_ANALYSIS {
    if (memory.storage().isShared()) add(memory.addressOn(home));
  });
  if (const auto* launch = std::get_if<Launch>(&command)) {
    if (launch->args.reached)
      for (const void* pointer : *launch->args.reached)
        add(pointer);
  } else if (const auto* copy = std::get_if<Copy>(&command)) {
    add(copy->source);
    add(copy->target);
  } else if (const auto* fill = std::get_if<Fill>(&command)) {
    add(fill->target);
  } else if (const auto* map = std::get_if<Map>(&command)) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): ranges of shared memory are addresses
    if (!map->operand.memory) add(reinterpret_cast<const void*>(map->operand.range.begin));
  } else if (const auto* unmap = std::get_if<Unmap>(&command)) {
    if (!unmap->memory)
      add(reinterpret_cast<const void*>(unmap->written.begin)); // NOLINT(performance-no-int-to-ptr): as above
    else if (unmap->memory->storage().isShared())
      add(unmap->memory->addressOn(home));
  }
}

std::unique_ptr<GuardedUse> SharedMemory::guardedUse(const Command& command, HomeId home) const {
  std::vector<Ref<GuardedBlock>> blocks;
  {
    MutexLock lock(mutex_);
    addGuards(command, home, blocks);
  }
  if (blocks.empty()) return nullptr;
  const auto how = std::holds_alternative<Map>(command)     ? GuardedUse::How::FromThen
                   : std::holds_alternative<Unmap>(command) ? GuardedUse::How::UntilThen
                                                            : GuardedUse::How::WhileRunning;
  return std::make_unique<GuardedUse>(how, std::move(blocks));
}

} // namespace clotho
