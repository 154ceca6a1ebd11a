// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"
#include "cluster/ring.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace clotho::cluster {

/// The memory that a program and its node have in common: two rings, and slots by way of which bytes of memory objects
/// go. Stays mapped as long as this lives.
class SharedArea {
 public:
  static constexpr std::size_t kRingBytes = std::size_t{1} << 20;
  static constexpr std::size_t kSlots = 64, kSlotBytes = std::size_t{256} << 10;

  /// An area of this process, and a descriptor for the other one. Empty, with errno set, if there is no memory.
  static SharedArea create(UniqueFd& descriptor);
  /// The area of another process. Empty if it is of another size, or if the other process could take the memory away.
  static SharedArea map(const UniqueFd& descriptor);

  SharedArea() = default;
  SharedArea(SharedArea&& other) noexcept : layout_(other.layout_) { other.layout_ = nullptr; }
  SharedArea& operator=(SharedArea&& other) noexcept {
    std::swap(layout_, other.layout_);
    return *this;
  }
  ~SharedArea();

  explicit operator bool() const { return layout_ != nullptr; }
  RingWriter writerToNode() const { return {layout_->toNode, layout_->nodeBytes}; }
  RingReader readerAtNode() const { return {layout_->toNode, layout_->nodeBytes}; }
  RingWriter writerToHost() const { return {layout_->toHost, layout_->hostBytes}; }
  RingReader readerAtHost() const { return {layout_->toHost, layout_->hostBytes}; }
  /// Another number as long as the node's process runs: every kBeatMs at least.
  std::atomic<std::uint64_t>& nodeBeat() const { return layout_->nodeBeat; }
  /// All slots, one behind the other.
  std::span<std::byte> slots() const { return layout_->slots; }

 private:
  struct Layout {
    RingHead toNode, toHost;
    alignas(64) std::atomic<std::uint64_t> nodeBeat{0};
    alignas(4096) std::byte nodeBytes[kRingBytes];
    std::byte hostBytes[kRingBytes];
    std::byte slots[kSlots * kSlotBytes];
  };

  explicit SharedArea(Layout* layout) : layout_(layout) {}

  Layout* layout_ = nullptr;
};

/// How often a node shows that it runs, and how often a program looks, in ms.
inline constexpr int kBeatMs = 250;

} // namespace clotho::cluster
