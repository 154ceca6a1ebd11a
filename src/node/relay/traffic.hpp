// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/clock.hpp"
#include "node/fabric/fabric.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace clotho::node {

/// The payload, with a `Use` that is made of `arguments` and destroyed when the fabric releases the owner; without
/// memory for that, as it was.
template <class Use, class... Arguments> Payload keptWith(Payload payload, Arguments&&... arguments) noexcept {
  struct Kept : Use {
    using Use::Use;
    std::shared_ptr<const void> owner{};
  };
  try {
    auto kept = std::make_shared<Kept>(std::forward<Arguments>(arguments)...);
    kept->owner = std::move(payload.owner);
    payload.owner = std::move(kept);
  } catch (const std::bad_alloc&) {
    return payload;
  }
  return payload;
}

/// Bytes that were given to the fabric, which has not sent them yet. Any thread.
class Backlog {
 public:
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

  /// The payload of a message with so many bytes of text, which counts until the fabric releases the owner. Without
  /// memory for that the message does not count.
  static Payload add(const std::shared_ptr<Backlog>& backlog, std::size_t text, Payload payload) noexcept {
    const std::size_t size = text + payload.bytes.size();
    return keptWith<Waiting>(std::move(payload), backlog, size);
  }

 private:
  struct Waiting {
    Waiting(std::shared_ptr<Backlog> backlog, std::size_t bytes) : all(std::move(backlog)), size(bytes) {
      all->bytes_.fetch_add(size, std::memory_order_relaxed);
    }
    ~Waiting() { all->bytes_.fetch_sub(size, std::memory_order_relaxed); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    const std::shared_ptr<Backlog> all;
    const std::size_t size;
  };

  std::atomic<std::size_t> bytes_{0};
};

/// The use of the way to another node: when much has moved, so that messages may come late. Any thread.
class Traffic {
 public:
  /// Payloads of at least so many bytes count.
  static constexpr std::size_t kLarge = std::size_t{64} << 10;

  /// A payload of so many bytes begins to come, or has come.
  void moved(std::size_t size) noexcept {
    if (size >= kLarge) movedAt_.store(hostTime(), std::memory_order_relaxed);
  }
  /// A payload that goes: it has moved when the fabric releases the owner. Without memory for that it does not count.
  static Payload watch(const std::shared_ptr<Traffic>& traffic, Payload payload) noexcept {
    const std::size_t size = payload.bytes.size();
    return keptWith<Going>(std::move(payload), traffic, size);
  }
  /// When a large payload has moved, either way, in ns of hostTime(); 0: none has.
  std::uint64_t movedAt() const noexcept { return movedAt_.load(std::memory_order_relaxed); }

 private:
  struct Going {
    Going(std::shared_ptr<Traffic> way, std::size_t bytes) : traffic(std::move(way)), size(bytes) {}
    ~Going() { traffic->moved(size); }
    Going(const Going&) = delete;
    Going& operator=(const Going&) = delete;

    const std::shared_ptr<Traffic> traffic;
    const std::size_t size;
  };

  std::atomic<std::uint64_t> movedAt_{0};
};

} // namespace clotho::node
