// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/guarded_block.hpp"

#include <sys/mman.h>

namespace clotho {

GuardedBlock::GuardedBlock(std::byte* begin, std::size_t bytes) : begin_(begin), bytes_(bytes) {
  MutexLock lock(mutex_);
  protect(PROT_NONE);
}

void GuardedBlock::protect(int protection) const noexcept { mprotect(begin_, bytes_, protection); }

void GuardedBlock::open() noexcept {
  MutexLock lock(mutex_);
  if (uses_++ == 0 && !isRetired_) protect(PROT_READ | PROT_WRITE);
}

// A map may be ended that never began, which is the application's error.
void GuardedBlock::close() noexcept {
  MutexLock lock(mutex_);
  if (uses_ > 0 && --uses_ == 0 && !isRetired_) protect(PROT_NONE);
}

void GuardedBlock::retire() noexcept {
  MutexLock lock(mutex_);
  isRetired_ = true;
  protect(PROT_READ | PROT_WRITE);
}

void GuardedUse::begin() noexcept {
  hasBegun_ = true;
  if (how_ == How::UntilThen) return;
  for (const Ref<GuardedBlock>& block : blocks_)
    block->open();
}

void GuardedUse::end() noexcept {
  if (!hasBegun_ || how_ == How::FromThen) return;
  for (const Ref<GuardedBlock>& block : blocks_)
    block->close();
}

} // namespace clotho
