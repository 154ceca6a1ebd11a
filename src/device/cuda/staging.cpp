// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/staging.hpp"

#include "base/error.hpp"
#include "device/cuda/rows.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace clotho::cuda {

namespace {

constexpr std::size_t kAlignment = 64; // copy engines like whole lines

} // namespace

void Staging::makeReady() {
  MutexLock lock(mutex_);
  if (memory_) return;
  const Context::Current current(context_);
  void* memory = nullptr;
  check(context_.succeeded(
            context_.api().memHostAlloc(&memory, kBlocks * kBlockSize, kHostAllocPortable | kHostAllocMapped)),
        CL_OUT_OF_RESOURCES, "no pinned memory for small copies");
  memory_ = static_cast<std::byte*>(memory);
}

Staging::Slot Staging::begin(const Copy& copy, std::uint16_t stream) noexcept {
  const std::size_t bytes = bytesOf(copy);
  if (bytes == 0 || bytes > kMost) return {};
  const CopyEnds ends = endsOf(copy);
  const bool isRead = ends.source == Addresses::Kind::Device;
  if ((isRead ? ends.target : ends.source) != Addresses::Kind::Pageable ||
      (isRead ? ends.source : ends.target) != Addresses::Kind::Device)
    return {};
  Slot slot;
  {
    MutexLock lock(mutex_);
    if (!mayGoLocked(copy, isRead, stream)) return {};
    slot = takeRoom(bytes);
    if (!slot.bytes) return {};
    slot.isRead = isRead;
    if (isRead) {
      const auto begin = std::bit_cast<std::uintptr_t>(copy.target);
      const std::size_t span = targetSpan(copy);
      try {
        slot.read = reads_.emplace(begin, Read{begin + span, stream});
      } catch (const std::bad_alloc&) {
        giveBack(slot);
        return {};
      }
      longestRead_ = std::max(longestRead_, span);
    }
  }
  if (!isRead) copyRows(intoDense(copy, slot.bytes));
  return slot;
}

void Staging::end(const Slot& slot, const Copy& copy, bool isDone) noexcept {
  if (slot.isRead && isDone) copyRows(fromDense(copy, slot.bytes));
  MutexLock lock(mutex_);
  if (slot.isRead) reads_.erase(slot.read);
  if (reads_.empty()) longestRead_ = 0;
  giveBack(slot);
}

void Staging::giveBack(const Slot& slot) noexcept {
  Block& block = blocks_[slot.block];
  if (--block.slots == 0) block.used = 0;
}

Copy Staging::viaSlot(const Copy& copy, const Slot& slot) noexcept {
  return slot.isRead ? intoDense(copy, slot.bytes) : fromDense(copy, slot.bytes);
}

bool Staging::mayGo(const Copy& copy, std::uint16_t stream) const noexcept {
  const CopyEnds ends = endsOf(copy);
  MutexLock lock(mutex_);
  return reads_.empty() || mayGoLocked(copy, ends.source == Addresses::Kind::Device, stream);
}

// Reads of one stream end in order.
bool Staging::mayGoLocked(const Copy& copy, bool isRead, std::uint16_t stream) const noexcept {
  // One side is the device's, or both are the host's. Addresses of the device are not among those of reads.
  const auto meetsRead = [&](const std::byte* memory, std::size_t span) REQUIRES(mutex_) {
    const auto begin = std::bit_cast<std::uintptr_t>(memory);
    for (auto each = reads_.lower_bound(begin - std::min<std::uintptr_t>(begin, longestRead_));
         each != reads_.end() && each->first < begin + span; ++each)
      if (each->second.end > begin && !(isRead && each->second.stream == stream)) return true;
    return false;
  };
  return !meetsRead(copy.source, sourceSpan(copy)) && !meetsRead(copy.target, targetSpan(copy));
}

Staging::Slot Staging::takeRoom(std::size_t bytes) noexcept {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    const auto index = static_cast<std::uint32_t>((current_ + i) % kBlocks);
    Block& block = blocks_[index];
    // Blocks that are partly free are left alone, but for the one in use, until all of their slots are.
    if (kBlockSize - block.used < bytes || (i != 0 && block.slots != 0)) continue;
    current_ = index;
    Slot slot{memory_ + index * kBlockSize + block.used, index};
    block.used += bytes;
    ++block.slots;
    return slot;
  }
  return {};
}

} // namespace clotho::cuda
