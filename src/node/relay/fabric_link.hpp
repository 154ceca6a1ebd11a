// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "node/fabric/fabric.hpp"
#include "node/program_link.hpp"
#include "node/relay/guest_share.hpp"
#include "node/relay/traffic.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace clotho::node {

/// The way to a program at another node, by way of that. The fabric outlives this.
class FabricLink final : public ProgramLink {
 public:
  FabricLink(Fabric& fabric, NodeId node, std::uint64_t session, std::shared_ptr<const GuestPart> part)
      : fabric_(fabric), node_(node), session_(session), part_(std::move(part)), buffers_(part_->bytes()) {}

  void close() noexcept override EXCLUDES(mutex_);
  bool isClosed() const noexcept { return isClosed_.load(std::memory_order_seq_cst); }
  std::span<std::byte> slots() const noexcept override { return {}; }
  std::atomic<std::uint64_t>* beat() const noexcept override { return nullptr; }
  SlotBuffer makeBuffer(std::size_t size) noexcept override { return buffers_.make(size); }
  bool isFull() const noexcept override { return backlog_->bytes() >= kMostWaiting; }

  /// Bytes of messages that the fabric may have to send before texts are dropped.
  static constexpr std::size_t kMostWaiting = std::size_t{64} << 20;

 private:
  void sendFilled(Function fill, void* context, SlotBuffer bytes, Urgency urgency) override EXCLUDES(mutex_);
  /// Tells the other node that nothing more comes, unless a thread is sending, which does so afterwards.
  void sendOver() noexcept EXCLUDES(mutex_);

  Fabric& fabric_;
  const NodeId node_;
  const std::uint64_t session_;
  const std::shared_ptr<const GuestPart> part_; ///< of the session, whose memory is gone when this is
  SlotBuffers buffers_;
  const std::shared_ptr<Backlog> backlog_ = std::make_shared<Backlog>();
  std::atomic<bool> isClosed_{false};
  Mutex mutex_;
  ByteWriter frame_ GUARDED_BY(mutex_);
  bool isOverSent_ GUARDED_BY(mutex_) = false;
};

} // namespace clotho::node
