// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command/storage.hpp"

#include "command/transfer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

namespace clotho {

namespace {

constexpr std::uint64_t bitOf(HomeId home) { return std::uint64_t{1} << home; }
/// The mask of all homes: bytes that no command has written yet are as good in one as in another.
constexpr std::uint64_t kEverywhere = ~std::uint64_t{0};

/// The host, from which every device can fetch, if the bytes are valid there.
HomeId nearest(std::uint64_t valid) { return static_cast<HomeId>(std::countr_zero(valid)); }

} // namespace

// --- Homes ---

HomeId Homes::of(const DeviceMemory* memory) const {
  if (!memory) return kHostHome;
  const auto found = std::find(memories_.begin(), memories_.end(), memory);
  return static_cast<HomeId>(1 + (found - memories_.begin()));
}

void* Homes::allocate(HomeId home, std::size_t size, std::size_t alignment) noexcept {
  return home == kHostHome ? host_.allocate(size, alignment) : memory(home).allocate(size, alignment);
}

void* Homes::allocateCopy(HomeId home, const void* bytes, std::size_t size, std::size_t alignment) noexcept {
  void* memory = allocate(home, size, alignment);
  if (!memory) return nullptr;
  if (home == kHostHome) return std::memcpy(memory, bytes, size);
  if (this->memory(home).write(memory, bytes, size)) return memory;
  deallocate(home, memory, size);
  return nullptr;
}

void Homes::deallocate(HomeId home, void* memory, std::size_t size) noexcept {
  if (home == kHostHome)
    host_.deallocate(memory, size);
  else
    this->memory(home).deallocate(memory, size);
}

bool Homes::pin(void* memory, std::size_t size) noexcept {
  return std::ranges::any_of(memories_, [&](DeviceMemory* each) { return each->pin(memory, size); });
}

bool Homes::unpin(void* memory) noexcept {
  bool isFree = true;
  for (DeviceMemory* each : memories_)
    isFree &= each->unpin(memory);
  return isFree;
}

// --- Memory ---

Storage::Storage(Homes& homes, std::size_t size, std::size_t alignment, void* hostPointer, bool isExternal)
    : homes_(homes), size_(size), alignment_(alignment), ownsHost_(hostPointer == nullptr), isExternal_(isExternal),
      host_(static_cast<std::byte*>(hostPointer)) {
  if (homes.count() == 1) return;
  others_ = std::make_unique<std::atomic<std::byte*>[]>(homes.count() - 1);
  intervals_.push_back({{hostPointer ? bitOf(kHostHome) : kEverywhere}, size});
}

Storage::Storage(Homes& homes, std::size_t size, SharedBytes bytes)
    : homes_(homes), size_(size), alignment_(1), ownsHost_(false), isShared_(true),
      host_(static_cast<std::byte*>(bytes.begin)) {}

Storage::~Storage() {
  if (std::byte* host = host_; ownsHost_ && host) {
    if (!isPinned_ || homes_->unpin(host)) homes_->deallocate(kHostHome, host, size_);
  }
  for (std::size_t i = 1; others_ && i < homes_->count(); ++i)
    if (std::byte* memory = others_[i - 1]) homes_->deallocate(static_cast<HomeId>(i), memory, size_);
}

void Storage::allocate(HomeId home) {
  MutexLock lock(mutex_);
  allocateLocked(home);
}

void Storage::allocateLocked(HomeId home) {
  if (address(home)) return;          // another thread was first
  constexpr std::size_t kPage = 4096; // pinned memory has its first page for itself
  const std::size_t alignment = home == kHostHome && isPinned_ ? std::max(alignment_, kPage) : alignment_;
  auto* memory = static_cast<std::byte*>(homes_->allocate(home, size_, alignment));
  check(memory, CL_MEM_OBJECT_ALLOCATION_FAILURE, "the device has not that much memory left");
  if (home == kHostHome && isPinned_) homes_->pin(memory, size_);
  (home == kHostHome ? host_ : others_[home - 1U]).store(memory, std::memory_order_release);
}

// --- What is valid where ---

void Storage::acquire(HomeId home, Range range, Access access, std::vector<Need>& needed, bool mayNotRun) {
  if (!isTracked()) return;
  MutexLock lock(mutex_);
  // Bytes on their way to this home come before the command, also those that it will not need: they would overwrite
  // what it writes.
  for (const Ref<Transfer>& coming : underWay_)
    if (coming->to() == home && coming->overlaps(range))
      needed.push_back({coming, access != Access::Discard && bringsBytes(*coming, range)});
  if (access == Access::Discard && !mayNotRun) return;
  const std::size_t first = needed.size();
  for (Range piece{range.begin, range.begin}; piece.end < range.end;) {
    const Interval& interval = intervals_[intervalAt(piece.end)];
    const State state = interval;
    piece = {piece.end, std::min(interval.end, range.end)};
    if (state.valid & bitOf(home) || isComing(home, piece, state.version)) continue;
    // Whole intervals are moved, so that each is valid or not.
    cutAt(piece.begin);
    cutAt(piece.end);
    const HomeId from = nearest(state.valid);
    if (from != kHostHome && home != kHostHome && !homes_->canCopy(from, home)) {
      allocateLocked(kHostHome);
      if (!isComing(kHostHome, piece, state.version)) transfer(from, kHostHome, piece, state, needed);
      transfer(kHostHome, home, piece, state, needed);
    } else {
      transfer(from, home, piece, state, needed);
    }
  }
  if (access == Access::Discard)
    for (std::size_t i = first; i < needed.size(); ++i)
      needed[i].bringsBytes = false;
}

void Storage::noteWritten(HomeId home, Range range, Node* writer) {
  if (!isTracked()) return;
  MutexLock lock(mutex_);
  if (range.begin < range.end) setWritten(home, range, writer);
}

void Storage::writerEnded(const Node& writer, Range range, bool hasRun) noexcept {
  if (!isTracked()) return;
  MutexLock lock(mutex_);
  for (std::size_t i = intervalAt(range.begin); i < intervals_.size(); ++i) {
    settle(intervals_[i], i == 0 ? 0 : intervals_[i - 1].end, writer, hasRun);
    if (intervals_[i].end >= range.end) break;
  }
  mergeIntervals();
}

// Commands mostly end in their order, so the search begins with the oldest. A device may have begun a command that is
// said to have never run, and one that has failed: where there is another copy, the one at its home does not count. Nor
// does one that a transfer of what was never written may overwrite.
void Storage::settle(Interval& interval, std::uint64_t begin, const Node& writer, bool hasRun) noexcept {
  std::list<State>& before = interval.before;
  const auto its = std::ranges::find(before, &writer, &State::writer);
  const bool isLatest = its == before.end();
  if (isLatest && interval.writer != &writer) return;
  State& written = isLatest ? static_cast<State&>(interval) : *its;
  if (hasRun) {
    written.writer = nullptr;
    before.erase(before.begin(), its);
    return;
  }
  State& restored = *std::prev(its);
  // Its home has the bytes of before, unless they were to be written anew and have not come there for that. Then
  // commands that wait for a transfer from there cannot have them.
  const Range range{begin, interval.end};
  const bool hasBefore = !restored.writer && ((restored.valid & written.valid) != 0 ||
                                              isComing(nearest(written.valid), range, restored.version));
  std::uint64_t spoilt = written.valid;
  for (const Ref<Transfer>& each : underWay_) {
    if (each->version() != written.version || !each->overlaps(range)) continue;
    if (!hasBefore) each->giveUp(CL_OUT_OF_RESOURCES);
    spoilt |= bitOf(each->to());
  }
  if ((restored.valid & ~spoilt) != 0) restored.valid &= ~spoilt;
  if (!isLatest) {
    before.erase(its);
    return;
  }
  static_cast<State&>(interval) = restored;
  before.pop_back();
}

void Storage::transferEnded(const Transfer& transfer, bool isDone) noexcept {
  Ref<Transfer> ended; // released without the lock
  MutexLock lock(mutex_);
  const auto place = std::find_if(underWay_.begin(), underWay_.end(),
                                  [&](const Ref<Transfer>& each) { return each.get() == &transfer; });
  ended = std::move(*place);
  underWay_.erase(place);
  std::uint64_t begin = 0;
  for (Interval& interval : intervals_) {
    const bool isWithin = begin >= transfer.range().begin && interval.end <= transfer.range().end;
    const auto note = [&](State& state) {
      if (isDone && isWithin && state.version == transfer.version()) state.valid |= bitOf(transfer.to());
    };
    note(interval);
    std::ranges::for_each(interval.before, note);
    begin = interval.end;
  }
  mergeIntervals();
}

std::size_t Storage::intervalAt(std::uint64_t place) const {
  const auto found = std::upper_bound(intervals_.begin(), intervals_.end(), place,
                                      [](std::uint64_t at, const Interval& interval) { return at < interval.end; });
  return static_cast<std::size_t>(found - intervals_.begin());
}

std::size_t Storage::cutAt(std::uint64_t place) {
  const std::size_t index = intervalAt(place);
  const std::uint64_t begin = index == 0 ? 0 : intervals_[index - 1].end;
  if (begin == place || index == intervals_.size()) return index;
  Interval first = intervals_[index];
  first.end = place;
  intervals_.insert(intervals_.begin() + static_cast<std::ptrdiff_t>(index), std::move(first));
  return index + 1;
}

void Storage::setWritten(HomeId home, Range range, Node* writer) {
  const std::size_t begin = cutAt(range.begin), end = cutAt(range.end);
  ++lastVersion_;
  for (std::size_t i = begin; i < end; ++i) {
    Interval& interval = intervals_[i];
    if (!writer)
      interval.before.clear();
    else if (interval.writer != writer)
      interval.before.push_back(interval);
    static_cast<State&>(interval) = {bitOf(home), lastVersion_, writer};
  }
  mergeIntervals();
}

bool Storage::areAlike(const Interval& a, const Interval& b) noexcept {
  const bool areSettled = !a.writer && !b.writer;
  return areSettled ? a.valid == b.valid : static_cast<const State&>(a) == b && a.before == b.before;
}

// Transfers know their bytes by the version, and mark whole intervals.
void Storage::mergeIntervals() noexcept {
  const auto areMoved = [this](Range range) REQUIRES(mutex_) {
    return std::any_of(underWay_.begin(), underWay_.end(),
                       [range](const Ref<Transfer>& each) { return each->overlaps(range); });
  };
  std::size_t last = 0;
  std::uint64_t lastBegin = 0;
  for (std::size_t i = 1; i < intervals_.size(); ++i) {
    if (areAlike(intervals_[i], intervals_[last]) && !areMoved({lastBegin, intervals_[i].end})) {
      intervals_[last].end = intervals_[i].end;
    } else {
      lastBegin = intervals_[last].end;
      if (++last != i) intervals_[last] = std::move(intervals_[i]);
    }
  }
  intervals_.erase(intervals_.begin() + static_cast<std::ptrdiff_t>(last) + 1, intervals_.end());
}

bool Storage::isComing(HomeId home, Range range, std::uint64_t version) const noexcept {
  return std::any_of(underWay_.begin(), underWay_.end(), [&](const Ref<Transfer>& each) {
    return each->to() == home && each->version() == version && each->range().begin <= range.begin &&
           range.end <= each->range().end;
  });
}

bool Storage::bringsBytes(const Transfer& transfer, Range range) const noexcept {
  const std::uint64_t end = std::min(range.end, transfer.range().end);
  for (std::size_t i = intervalAt(std::max(range.begin, transfer.range().begin)); i < intervals_.size(); ++i) {
    if (intervals_[i].version == transfer.version()) return true;
    if (intervals_[i].end >= end) break;
  }
  return false;
}

void Storage::transfer(HomeId from, HomeId to, Range range, const State& state, std::vector<Need>& needed) {
  const std::uint64_t version = state.version;
  DeviceQueue& queue = homes_->memory(to != kHostHome ? to : from).transfers();
  Ref<Transfer> made = Ref<Transfer>::adopt(new Transfer(*this, queue, from, to, range, version));
  // Devices that order each other's commands order transfers between them, too.
  const bool areDevices = from != kHostHome && to != kHostHome;
  if (areDevices && queue.orders(&homes_->memory(from).transfers())) made->setHome(to);
  made->reserveDependencies(underWay_.size() + 1);
  underWay_.reserve(underWay_.size() + 1);
  needed.push_back({made, true});
  if (state.writer) made->dependOn(*state.writer, /*passesFailure=*/false);
  for (const Ref<Transfer>& each : underWay_) {
    if (!each->overlaps(range)) continue;
    if (each->to() == from) // it brings the bytes to where they are fetched from
      made->dependOn(*each, each->version() == version);
    else if (each->to() == to || each->from() == to) // it is at work where they go, with older ones
      made->dependOn(*each, false);
  }
  made->holdItself();
  underWay_.push_back(std::move(made));
}

} // namespace clotho
