// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/slot_buffers.hpp"

#include "cluster/shared_area.hpp"

#include <new>

namespace clotho::node {

static_assert(SlotBuffers::kMost == 2 * cluster::SharedArea::kSlots * cluster::SharedArea::kSlotBytes);

SlotBuffer SlotBuffers::make(std::size_t size) noexcept {
  if (size == 0 || size > kMost) return {};
  if (used_->fetch_add(size, std::memory_order_relaxed) > kMost - size) {
    used_->fetch_sub(size, std::memory_order_relaxed);
    return {};
  }
  auto* const bytes = static_cast<std::byte*>(::operator new(size, std::nothrow));
  if (!bytes) {
    used_->fetch_sub(size, std::memory_order_relaxed);
    return {};
  }
  try {
    return {std::shared_ptr<std::byte>(bytes, Delete{used_, size}), size}; // deletes the bytes if it throws
  } catch (const std::bad_alloc&) {
    return {};
  }
}

} // namespace clotho::node
