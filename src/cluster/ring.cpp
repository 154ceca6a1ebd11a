// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster/ring.hpp"

#include <cstring>

namespace clotho::cluster {

namespace {

/// Before each message is its size; `kToBegin` instead means that the next one is at the beginning.
using Size = std::uint64_t;
constexpr Size kToBegin = ~Size{0};

/// Read once: the writer could change it between a check and a second look.
Size sizeAt(const std::byte* place) { return *reinterpret_cast<const volatile Size*>(place); }

constexpr std::size_t roomFor(std::size_t size) { return sizeof(Size) + (size + 7) / 8 * 8; }

} // namespace

bool RingWriter::write(std::string_view message) noexcept {
  const std::uint64_t used = place_ - head_.read.load(std::memory_order_acquire);
  if (message.empty() || message.size() > most() || used > bytes_.size()) return false;
  const std::size_t room = roomFor(message.size()), at = place_ & (bytes_.size() - 1), left = bytes_.size() - at;
  const std::size_t skipped = left < room ? left : 0;
  if (used + skipped + room > bytes_.size()) return false;
  if (skipped != 0) std::memcpy(bytes_.data() + at, &kToBegin, sizeof kToBegin);
  std::byte* target = bytes_.data() + (skipped != 0 ? 0 : at);
  const Size size = message.size();
  std::memcpy(target, &size, sizeof size);
  std::memcpy(target + sizeof size, message.data(), message.size());
  place_ += skipped + room;
  head_.written.store(place_, std::memory_order_seq_cst);
  return true;
}

bool RingWriter::takeSleeper() noexcept {
  return head_.sleeps.load(std::memory_order_seq_cst) != 0 && head_.sleeps.exchange(0, std::memory_order_seq_cst) != 0;
}

RingReader::Found RingReader::read(std::string& message) {
  const std::uint64_t place = place_.load(std::memory_order_relaxed);
  const std::uint64_t available = head_.written.load(std::memory_order_acquire) - place;
  if (available == 0) return Found::Nothing;
  std::size_t at = place & (bytes_.size() - 1), skipped = 0;
  Size size = 0;
  // Places are multiples of eight, so a size never lies across the end.
  if (available % 8 != 0 || available > bytes_.size() || available < sizeof size) return Found::Damage;
  size = sizeAt(bytes_.data() + at);
  if (size == kToBegin) {
    skipped = bytes_.size() - at;
    at = 0;
    if (available < skipped + sizeof size) return Found::Damage;
    size = sizeAt(bytes_.data());
  }
  if (size == 0 || size > bytes_.size() / 4 || roomFor(size) > available - skipped ||
      at + roomFor(size) > bytes_.size())
    return Found::Damage;
  message.assign(reinterpret_cast<const char*>(bytes_.data() + at + sizeof size), size);
  const std::uint64_t next = place + skipped + roomFor(size);
  place_.store(next, std::memory_order_relaxed);
  head_.read.store(next, std::memory_order_release);
  return Found::Message;
}

} // namespace clotho::cluster
