// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/memory.hpp"

#include "base/error.hpp"

#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace clotho::node {

namespace {

constexpr std::uint64_t kPage = 4096;
/// Pieces from this size on get large pages.
constexpr std::uint64_t kHugeFrom = std::uint64_t{4} << 20;

std::uint64_t toPages(std::uint64_t size) { return (size + kPage - 1) / kPage * kPage; }

void* pointerTo(std::uint64_t address) { return reinterpret_cast<void*>(address); } // NOLINT(performance-no-int-to-ptr)

} // namespace

Memory::Memory(std::uint64_t window, std::uint64_t size)
    : window_(window), size_(size), homes_(Ref<Homes>::adopt(new Homes(none_, {}))) {
  if (window % kPage != 0 || size % kPage != 0 || size == 0 || window + size < window) return;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  void* const wanted = pointerTo(window);
  void* const memory = mmap(wanted, size, PROT_NONE, kFlags, -1, 0);
  isReserved_ = memory == wanted;
  // Systems that do not know the flag take the address as a hint.
  if (!isReserved_ && memory != MAP_FAILED) munmap(memory, size);
}

Memory::Memory(DeviceMemory& device, std::uint64_t size)
    : device_(&device), allocation_(size == 0 ? nullptr : device.allocate(size + kPage, kPage)),
      window_(toPages(reinterpret_cast<std::uintptr_t>(allocation_))), size_(size), isReserved_(allocation_ != nullptr),
      homes_(Ref<Homes>::adopt(new Homes(none_, {}))) {}

Memory::~Memory() {
  if (allocation_)
    device_->deallocate(allocation_, size_ + kPage);
  else if (isReserved_)
    munmap(pointerTo(window_), size_);
}

bool Memory::use(std::uint64_t address, std::uint64_t size) {
  if (size == 0 || address % kPage != 0 || address < window_ || address - window_ > size_ ||
      size > size_ - (address - window_))
    return false;
  MutexLock lock(mutex_);
  const auto next = pieces_.lower_bound(address);
  if (next != pieces_.end() && next->first - address < toPages(size)) return false;
  if (next != pieces_.begin()) {
    const auto& [begin, before] = *std::prev(next);
    if (begin + toPages(before.size) > address) return false;
  }
  void* const memory = pointerTo(address);
  Piece piece{size, Ref<Storage>::adopt(new Storage(*homes_, size, Storage::SharedBytes{memory})), {}};
  if (!device_ && mprotect(memory, toPages(size), PROT_READ | PROT_WRITE) != 0) return false;
  if (!device_ && size >= kHugeFrom) madvise(memory, toPages(size), MADV_HUGEPAGE);
  pieces_.emplace(address, std::move(piece));
  return true;
}

void Memory::free(std::uint64_t address) noexcept {
  Piece over;
  {
    MutexLock lock(mutex_);
    const auto found = pieces_.find(address);
    if (found == pieces_.end()) return;
    over = std::move(found->second);
    if (!device_) {
      madvise(pointerTo(address), toPages(over.size), MADV_DONTNEED);
      mprotect(pointerTo(address), toPages(over.size), PROT_NONE);
    }
    pieces_.erase(found);
  }
}

Memory::Piece& Memory::pieceWith(std::uint64_t address, std::uint64_t size, std::uint64_t& begin) {
  const auto behind = pieces_.upper_bound(address);
  check(behind != pieces_.begin(), CL_INVALID_VALUE, "no memory object has this address");
  auto& [start, piece] = *std::prev(behind);
  check(address - start <= piece.size && size <= piece.size - (address - start), CL_INVALID_VALUE,
        "no memory object has all of these bytes");
  begin = start;
  return piece;
}

std::byte* Memory::at(std::uint64_t address, std::uint64_t size) {
  MutexLock lock(mutex_);
  std::uint64_t begin;
  pieceWith(address, size, begin);
  return static_cast<std::byte*>(pointerTo(address));
}

void Memory::write(std::uint64_t address, std::string_view bytes) {
  std::byte* const target = at(address, bytes.size());
  if (device_)
    check(device_->write(target, bytes.data(), bytes.size()), CL_OUT_OF_RESOURCES, "the device has failed");
  else
    std::memcpy(target, bytes.data(), bytes.size());
}

Ref<MemoryView> Memory::operand(std::uint64_t address, std::uint64_t size) {
  if (!device_) return {};
  MutexLock lock(mutex_);
  std::uint64_t begin;
  const Piece& piece = pieceWith(address, size, begin);
  return Ref<RemoteObject>::adopt(new RemoteObject(piece.storage, address - begin, size, /*isReadOnly=*/false));
}

Ref<RemoteObject> Memory::object(const cluster::ArgumentObject& object) {
  MutexLock lock(mutex_);
  std::uint64_t begin;
  Piece& piece = pieceWith(object.begin, object.size, begin);
  Ref<RemoteObject>& known = piece.objects[{object.begin, object.size, object.isReadOnly ? 1U : 0U}];
  if (!known)
    known =
        Ref<RemoteObject>::adopt(new RemoteObject(piece.storage, object.begin - begin, object.size, object.isReadOnly));
  return known;
}

} // namespace clotho::node
