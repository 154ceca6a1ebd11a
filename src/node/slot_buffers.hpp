// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

namespace clotho::node {

/// Bytes of slots at their way between a program and a node that does not share its memory. Empty: none.
struct SlotBuffer {
  std::shared_ptr<std::byte> memory; ///< null although there are bytes: they are lost, since there was no memory
  std::size_t size = 0;

  std::span<std::byte> bytes() const { return {memory.get(), size}; }
};

/// Makes such buffers for one session. A program has no more bytes under way than it has slots, so there is a limit.
class SlotBuffers {
 public:
  /// Most bytes at a time: twice what the slots have, since a buffer outlives the use of its slot by the time of a
  /// message.
  static constexpr std::size_t kMost = std::size_t{32} << 20;

  /// Most bytes of all sessions of one node.
  static constexpr std::size_t kMostOfNode = std::size_t{2} << 30;
  /// Bytes in use.
  using Count = std::atomic<std::size_t>;

  /// `ofNode`: of all sessions that count together.
  explicit SlotBuffers(std::shared_ptr<Count> ofNode) : ofNode_(std::move(ofNode)) {}

  /// Empty if there is no memory, or if too much is in use. Any thread.
  SlotBuffer make(std::size_t size) noexcept;

 private:
  struct Delete {
    std::shared_ptr<Count> used, ofNode;
    std::size_t size;
    void operator()(std::byte* bytes) const noexcept {
      ::operator delete(bytes);
      used->fetch_sub(size, std::memory_order_relaxed);
      ofNode->fetch_sub(size, std::memory_order_relaxed);
    }
  };

  const std::shared_ptr<Count> used_ = std::make_shared<Count>(0), ofNode_;
};

} // namespace clotho::node
