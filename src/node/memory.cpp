// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/memory.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace clotho::node {

namespace {

constexpr std::uint64_t kPage = 4096;
/// Pieces from this size on get large pages.
constexpr std::uint64_t kHugeFrom = std::uint64_t{4} << 20;

/// Memory goes back to the system in parts of so many bytes, since that takes long: tenths of a second for one part.
constexpr std::uint64_t kPart = std::uint64_t{256} << 20;

/// Pieces from this size on are given back by another thread.
constexpr std::uint64_t kLaterFrom = std::uint64_t{64} << 20;

std::uint64_t toPages(std::uint64_t size) { return (size + kPage - 1) / kPage * kPage; }

void* pointerTo(std::uint64_t address) { return reinterpret_cast<void*>(address); } // NOLINT(performance-no-int-to-ptr)

/// Whether none of the ranges of a map, which it has by their beginnings, has a page of these bytes.
template <class Map, class SizeOf>
bool isFree(const Map& map, std::uint64_t address, std::uint64_t size, SizeOf&& sizeOf) {
  const auto next = map.lower_bound(address);
  if (next != map.end() && next->first - address < toPages(size)) return false;
  return next == map.begin() || std::prev(next)->first + toPages(sizeOf(std::prev(next)->second)) <= address;
}

} // namespace

/// Pages of a piece, which are usable as long as something refers to this.
class Memory::Pages final : public Object {
 public:
  Pages(Memory& memory, std::uint64_t begin, std::uint64_t size) : memory_(memory), begin_(begin), size_(size) {}

 private:
  ~Pages() override { memory_.takePages(begin_, size_); }

  Memory& memory_;
  const std::uint64_t begin_, size_;
};

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

Memory::Memory(DeviceMemory& device, std::uint64_t window, std::uint64_t size)
    : device_(&device), allocation_(size == 0 || device.canPlace() ? nullptr : device.allocate(size + kPage, kPage)),
      window_(allocation_ ? toPages(reinterpret_cast<std::uintptr_t>(allocation_)) : window), size_(size),
      isReserved_(allocation_ != nullptr), homes_(Ref<Homes>::adopt(new Homes(none_, {}))) {
  if (size == 0 || !device.canPlace() || window % DeviceMemory::kPlaceAlignment != 0 || window + size < window) return;
  isReserved_ = device.allocateAt(pointerTo(window), size);
}

Memory::~Memory() {
  Pieces over;
  {
    MutexLock lock(mutex_);
    over.swap(pieces_);
  }
  over.clear(); // pages lock the mutex
  if (allocation_)
    device_->deallocate(allocation_, size_ + kPage);
  else if (device_ && isReserved_)
    device_->deallocateAt(pointerTo(window_), size_);
  else if (isReserved_)
    munmap(pointerTo(window_), size_);
}

bool Memory::use(std::uint64_t address, std::uint64_t size) {
  if (size == 0 || address % kPage != 0 || address < window_ || address - window_ > size_ ||
      size > size_ - (address - window_))
    return false;
  MutexLock lock(mutex_);
  if (!isFree(pieces_, address, size, [](const Piece& piece) { return piece.size; })) return false;
  Piece& piece = pieces_.emplace(address, Piece{size, {}, {}, {}}).first->second;
  if (!device_ && !givePages(address, piece)) return false;
  piece.storage = Ref<Storage>::adopt(new Storage(*homes_, size, Storage::SharedBytes{pointerTo(address)}));
  return true;
}

bool Memory::givePages(std::uint64_t address, Piece& piece) {
  if (!isFree(usable_, address, piece.size, [](std::uint64_t bytes) { return bytes; })) return false;
  void* const memory = pointerTo(address);
  usable_.emplace(address, piece.size);
  if (mprotect(memory, toPages(piece.size), PROT_READ | PROT_WRITE) != 0) {
    usable_.erase(address);
    return false;
  }
  if (piece.size >= kHugeFrom) madvise(memory, toPages(piece.size), MADV_HUGEPAGE);
  piece.pages = Ref<Pages>::adopt(new Pages(*this, address, piece.size));
  return true;
}

// Moving tables of pages takes a fraction of the time that giving the pages back takes. Large pages stay whole if they
// move by whole ones.
bool Memory::moveAway(std::uint64_t address, std::uint64_t size) noexcept {
  constexpr std::uint64_t kLarge = std::uint64_t{2} << 20;
  if (!later_ || size < kLaterFrom) return false;
  const std::uint64_t bytes = toPages(size), room = bytes + kLarge;
  void* const reserved = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return false;
  const auto begin = reinterpret_cast<std::uintptr_t>(reserved);
  void* const target = pointerTo(begin + (address - begin) % kLarge);
  const int flags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
  const bool isMoved = mremap(pointerTo(address), bytes, bytes, flags, target) != MAP_FAILED;
  const auto giveBack = [reserved, room] { munmap(reserved, room); };
  bool isLater = false;
  try {
    isLater = isMoved && later_(giveBack);
  } catch (const std::bad_alloc&) {
    isLater = false;
  }
  if (!isLater) giveBack();
  return isMoved;
}

void Memory::takePages(std::uint64_t address, std::uint64_t size) noexcept {
  const std::uint64_t left = moveAway(address, size) ? 0 : toPages(size);
  for (std::uint64_t begin = 0; begin < left; begin += kPart) {
    madvise(pointerTo(address + begin), std::min(kPart, left - begin), MADV_DONTNEED);
    if (parts_) parts_->fetch_add(1, std::memory_order_relaxed);
  }
  mprotect(pointerTo(address), toPages(size), PROT_NONE);
  MutexLock lock(mutex_);
  usable_.erase(address);
}

void Memory::free(std::uint64_t address) noexcept {
  Piece over; // outlives the lock
  MutexLock lock(mutex_);
  const auto found = pieces_.find(address);
  if (found == pieces_.end()) return;
  over = std::move(found->second);
  pieces_.erase(found);
}

Memory::Piece& Memory::pieceWith(std::uint64_t address, std::uint64_t size, std::uint64_t& begin) {
  const auto behind = pieces_.upper_bound(address);
  check(behind != pieces_.begin(), CL_INVALID_VALUE, "no memory object has this address");
  auto& [start, piece] = *std::prev(behind);
  check(address - start <= piece.size && size <= piece.size - (address - start), CL_INVALID_VALUE,
        "no memory object has all of these bytes");
  check(static_cast<bool>(piece.storage), CL_MEM_OBJECT_ALLOCATION_FAILURE, "the node has no memory for the object");
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
  MutexLock lock(mutex_);
  std::uint64_t begin;
  const Piece& piece = pieceWith(address, size, begin);
  return Ref<RemoteObject>::adopt(
      new RemoteObject(piece.pages, piece.storage, address - begin, size, /*isReadOnly=*/false));
}

Ref<RemoteObject> Memory::object(const cluster::ArgumentObject& object) {
  MutexLock lock(mutex_);
  std::uint64_t begin;
  Piece& piece = pieceWith(object.begin, object.size, begin);
  Ref<RemoteObject>& known = piece.objects[{object.begin, object.size, object.isReadOnly ? 1U : 0U}];
  if (!known) {
    known = Ref<RemoteObject>::adopt(
        new RemoteObject(piece.pages, piece.storage, object.begin - begin, object.size, object.isReadOnly));
    ++objectCount_;
  }
  return known;
}

void Memory::trim() noexcept {
  MutexLock lock(mutex_);
  if (objectCount_ <= kMostObjects) return;
  for (auto& [address, piece] : pieces_)
    piece.objects.clear(); // the piece keeps its pages, so this takes none away
  objectCount_ = 0;
}

} // namespace clotho::node
