// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/fabric_link.hpp"

#include "node/relay/frame.hpp"

#include <utility>

namespace clotho::node {

void FabricLink::sendFilled(Function fill, void* context, SlotBuffer bytes, Urgency urgency) {
  // A thread that closes the link meanwhile leaves it to this one to say so, whatever becomes of the message.
  struct AtEnd {
    FabricLink& link;
    ~AtEnd() {
      if (link.isClosed()) link.sendOver();
    }
  } atEnd{*this};
  MutexLock lock(mutex_);
  Frame::begin(frame_, Frame::Kind::ToProgram, session_);
  if (!fill(context, frame_) || isClosed()) return;
  const std::span<const std::byte> payload = bytes.bytes();
  fabric_.send(node_, frame_.bytes(), Backlog::add(backlog_, frame_.bytes().size(), {payload, std::move(bytes.memory)}),
               urgency);
}

void FabricLink::close() noexcept {
  if (!isClosed_.exchange(true, std::memory_order_seq_cst)) sendOver();
}

void FabricLink::sendOver() noexcept {
  if (!mutex_.tryLock()) return;
  if (!std::exchange(isOverSent_, true)) {
    Frame::begin(frame_, Frame::Kind::SessionOver, session_);
    fabric_.send(node_, frame_.bytes());
  }
  mutex_.unlock();
}

} // namespace clotho::node
