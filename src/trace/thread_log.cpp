// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/thread_log.hpp"

#include <new>

namespace clotho::trace {

ChunkPool::~ChunkPool() {
  MutexLock lock(mutex_);
  while (Chunk* chunk = free_) {
    free_ = chunk->next.load(std::memory_order_relaxed);
    delete chunk;
  }
}

Chunk* ChunkPool::take() noexcept {
  {
    MutexLock lock(mutex_);
    if (Chunk* chunk = free_) {
      free_ = chunk->next.load(std::memory_order_relaxed);
      chunk->next.store(nullptr, std::memory_order_relaxed);
      chunk->filled.store(0, std::memory_order_relaxed);
      return chunk;
    }
    if (made_ == most_) return nullptr;
    ++made_;
  }
  Chunk* const chunk = new (std::nothrow) Chunk;
  if (chunk) return chunk;
  MutexLock lock(mutex_);
  --made_;
  return nullptr;
}

void ChunkPool::giveBack(Chunk* chunk) noexcept {
  MutexLock lock(mutex_);
  chunk->next.store(free_, std::memory_order_relaxed);
  free_ = chunk;
}

bool ThreadLog::extend(ChunkPool& pool) noexcept {
  Chunk* const chunk = pool.take();
  if (!chunk) return false;
  (last_ ? last_->next : first_).store(chunk, std::memory_order_release);
  last_ = chunk;
  used_ = 0;
  return true;
}

} // namespace clotho::trace
