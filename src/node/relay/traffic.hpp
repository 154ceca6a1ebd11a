// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/clock.hpp"
#include "node/fabric/fabric.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace clotho::node {

/// The use of the way to another node: how much waits to be sent, and when much has moved. Any thread.
class Traffic {
 public:
  /// Payloads of at least so many bytes show that the way is busy, so that other messages may come late.
  static constexpr std::size_t kLarge = std::size_t{64} << 10;

  /// The payload of a message with so many bytes of text, which counts as waiting until the fabric releases the owner.
  /// Without memory for that the message is not counted.
  static Payload track(const std::shared_ptr<Traffic>& traffic, std::size_t text, Payload payload) noexcept {
    const std::size_t size = text + payload.bytes.size();
    try {
      auto waiting = std::make_shared<Waiting>(traffic, size);
      waiting->owner = std::move(payload.owner);
      payload.owner = std::move(waiting);
    } catch (const std::bad_alloc&) {
      return payload;
    }
    return payload;
  }
  /// A payload of so many bytes begins to come, or has come.
  void moved(std::size_t size) noexcept {
    if (size >= kLarge) movedAt_.store(hostTime(), std::memory_order_relaxed);
  }

  /// Bytes that the fabric has not sent.
  std::size_t waiting() const noexcept { return waiting_.load(std::memory_order_relaxed); }
  /// When a large payload has moved, either way, in ns of hostTime(); 0: none has.
  std::uint64_t movedAt() const noexcept { return movedAt_.load(std::memory_order_relaxed); }

 private:
  /// Owner of a message that waits.
  struct Waiting {
    Waiting(std::shared_ptr<Traffic> all, std::size_t bytes) : traffic(std::move(all)), size(bytes) {
      traffic->waiting_.fetch_add(size, std::memory_order_relaxed);
    }
    ~Waiting() {
      traffic->waiting_.fetch_sub(size, std::memory_order_relaxed);
      traffic->moved(size);
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    const std::shared_ptr<Traffic> traffic;
    const std::size_t size;
    std::shared_ptr<const void> owner{};
  };

  std::atomic<std::size_t> waiting_{0};
  std::atomic<std::uint64_t> movedAt_{0};
};

} // namespace clotho::node
