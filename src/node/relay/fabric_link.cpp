// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/fabric_link.hpp"

#include "node/relay/frame.hpp"

#include <utility>

namespace clotho::node {

void FabricLink::sendFilled(Function fill, void* context, SlotBuffer bytes) {
  {
    MutexLock lock(mutex_);
    Frame::begin(frame_, Frame::Kind::ToProgram, session_);
    if (!fill(context, frame_) || isClosed()) return;
    const std::span<const std::byte> payload = bytes.bytes();
    fabric_.send(node_, frame_.bytes(), {payload, std::move(bytes.memory)});
  }
  if (isClosed()) sendOver();
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
