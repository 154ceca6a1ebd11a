// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/bytes.hpp"
#include "cluster/link.hpp"
#include "node/fabric/fabric.hpp"
#include "node/slot_buffers.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace clotho::node {

/// The way of a session's messages to its program, on this machine or at another node. Any thread may send.
class ProgramLink {
 public:
  ProgramLink() = default;
  virtual ~ProgramLink() = default;
  ProgramLink(const ProgramLink&) = delete;
  ProgramLink& operator=(const ProgramLink&) = delete;

  /// Sends what `fill(ByteWriter&)` writes; if it returns false, nothing is sent. Messages come in the order in which
  /// `fill` is called, by one thread at a time. `bytes`: go with the message to slots of the program, where the slots
  /// are not this process's. Throws bad_alloc.
  template <class Fill> void send(Fill fill, SlotBuffer bytes = {}, Urgency urgency = Urgency::Now) {
    sendFilled([](void* context, ByteWriter& out) -> bool { return (*static_cast<Fill*>(context))(out); }, &fill,
               std::move(bytes), urgency);
  }
  /// Nothing is sent any more, and the program learns of it. Idempotent.
  virtual void close() noexcept = 0;

  /// The slots that this process shares with the program; empty: bytes of slots come and go with messages.
  virtual std::span<std::byte> slots() const noexcept = 0;
  /// Counts what this process does, where the program sees by such a number that it goes on; or null.
  virtual std::atomic<std::uint64_t>* beat() const noexcept = 0;
  /// Whether so much waits to be sent that texts had better be dropped.
  virtual bool isFull() const noexcept = 0;
  /// Memory for a command's bytes of slots, where those are not this process's; empty if there is none.
  virtual SlotBuffer makeBuffer(std::size_t size) noexcept = 0;

 protected:
  using Function = bool (*)(void* context, ByteWriter& out);

 private:
  virtual void sendFilled(Function fill, void* context, SlotBuffer bytes, Urgency urgency) = 0;
};

/// The way to a program of this machine: rings in memory that both processes have.
class RingLink final : public ProgramLink {
 public:
  explicit RingLink(cluster::Link::Parts parts) : link_(cluster::Side::Node, std::move(parts)) {}

  cluster::Link& link() { return link_; }
  void close() noexcept override { link_.close(); }
  std::span<std::byte> slots() const noexcept override { return link_.area().slots(); }
  std::atomic<std::uint64_t>* beat() const noexcept override { return &link_.area().nodeBeat(); }
  bool isFull() const noexcept override { return false; }
  SlotBuffer makeBuffer(std::size_t) noexcept override { return {}; }

 private:
  void sendFilled(Function fill, void* context, SlotBuffer, Urgency) override {
    link_.send([&](ByteWriter& out) { return fill(context, out) && out.bytes().size() <= cluster::Link::kMost; });
  }

  cluster::Link link_;
};

} // namespace clotho::node
