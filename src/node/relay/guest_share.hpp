// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "node/slot_buffers.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace clotho::node {

/// The share of this node that sessions of one other node's programs have. Any thread.
struct GuestShare {
  /// Most sessions at a time. Each program has one for each device that it uses.
  static constexpr std::size_t kMostSessions = 1024;
  /// Most bytes of addresses that they have reserved: a quarter of those that a process has.
  static constexpr std::uint64_t kMostAddresses = std::uint64_t{32} << 40;

  std::atomic<std::size_t> sessions{0};
  std::atomic<std::uint64_t> addresses{0};
  const std::shared_ptr<SlotBuffers::Count> bytes = std::make_shared<SlotBuffers::Count>(0); ///< of slots
};

/// The part of one session, which counts as long as this lives.
class GuestPart {
 public:
  GuestPart(std::shared_ptr<GuestShare> share, std::uint64_t addresses)
      : share_(std::move(share)), addresses_(addresses) {
    constexpr std::uint64_t kMost = GuestShare::kMostAddresses;
    const std::size_t sessions = share_->sessions.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t before = share_->addresses.fetch_add(addresses, std::memory_order_relaxed);
    isWithin_ = sessions < GuestShare::kMostSessions && addresses <= kMost && before <= kMost - addresses;
  }
  ~GuestPart() {
    share_->sessions.fetch_sub(1, std::memory_order_relaxed);
    share_->addresses.fetch_sub(addresses_, std::memory_order_relaxed);
  }
  GuestPart(const GuestPart&) = delete;
  GuestPart& operator=(const GuestPart&) = delete;

  /// Whether there may be such a session.
  bool isWithin() const { return isWithin_; }
  const std::shared_ptr<SlotBuffers::Count>& bytes() const { return share_->bytes; }

 private:
  const std::shared_ptr<GuestShare> share_;
  const std::uint64_t addresses_;
  bool isWithin_ = false;
};

} // namespace clotho::node
