// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/slot_buffers.hpp"

#include "cluster/shared_area.hpp"

#include <new>

namespace clotho::node {

static_assert(SlotBuffers::kMost == 2 * cluster::SharedArea::kSlots * cluster::SharedArea::kSlotBytes);

SlotBuffer SlotBuffers::make(std::size_t size) noexcept {
  if (size == 0 || size > kMost) return {};
  const bool hasRoom = used_->fetch_add(size, std::memory_order_relaxed) <= kMost - size,
             hasNodeRoom = ofNode_->fetch_add(size, std::memory_order_relaxed) <= kMostOfNode - size;
  auto* const bytes = static_cast<std::byte*>(hasRoom && hasNodeRoom ? ::operator new(size, std::nothrow) : nullptr);
  const Delete giveBack{used_, ofNode_, size};
  if (!bytes) {
    giveBack(nullptr);
    return {};
  }
  try {
    return {std::shared_ptr<std::byte>(bytes, giveBack), size}; // deletes the bytes if it throws
  } catch (const std::bad_alloc&) {
    return {};
  }
}

} // namespace clotho::node
