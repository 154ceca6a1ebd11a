// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "trace/record.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace clotho::trace {

/// A piece of a thread's log.
struct Chunk {
  static constexpr std::uint32_t kRecords = 400; ///< 32 KiB
  std::atomic<std::uint32_t> filled{0};
  std::atomic<Chunk*> next{nullptr};
  /// Made one by one as they are added: to set all of a new chunk would cost as much as the records do.
  union {
    std::array<Record, kRecords> records;
  };
  Chunk() {}  // NOLINT(modernize-use-equals-default): the records are not made
  ~Chunk() {} // NOLINT(modernize-use-equals-default)
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;
};
static_assert(std::is_trivially_destructible_v<Record>);

/// Chunks for all threads: as many as there may be, used again and again. Thread-safe.
class ChunkPool {
 public:
  explicit ChunkPool(std::size_t most) : most_(most) {}
  ~ChunkPool();
  ChunkPool(const ChunkPool&) = delete;
  ChunkPool& operator=(const ChunkPool&) = delete;

  /// An empty chunk; null if there are as many as there may be, or no memory.
  Chunk* take() noexcept EXCLUDES(mutex_);
  void giveBack(Chunk* chunk) noexcept EXCLUDES(mutex_);

 private:
  const std::size_t most_;
  Mutex mutex_;
  std::size_t made_ GUARDED_BY(mutex_) = 0;
  Chunk* free_ GUARDED_BY(mutex_) = nullptr;
};

/// One thread's records that the writer has not taken yet: a list of chunks with one writer and one reader,
/// which never wait for each other.
class ThreadLog {
 public:
  ThreadLog(std::string name, std::uint32_t track) : name_(std::move(name)), track_(track) {}

  const std::string& name() const noexcept { return name_; }
  std::uint32_t track() const noexcept { return track_; }

  /// By the log's thread. False if there is no room: the record is lost.
  bool add(const Record& record, ChunkPool& pool) noexcept {
    if (!last_ || used_ == Chunk::kRecords) [[unlikely]]
      if (!extend(pool)) return false;
    std::construct_at(&last_->records[used_], record);
    last_->filled.store(++used_, std::memory_order_release);
    return true;
  }

  /// By the reader: the oldest record that was not taken; null if there is none.
  const Record* front(ChunkPool& pool) noexcept {
    if (!reading_) reading_ = first_.load(std::memory_order_acquire);
    if (!reading_) return nullptr;
    if (read_ == Chunk::kRecords) {
      Chunk* const next = reading_->next.load(std::memory_order_acquire);
      if (!next) return nullptr;
      pool.giveBack(std::exchange(reading_, next));
      read_ = 0;
    }
    return read_ < reading_->filled.load(std::memory_order_acquire) ? &reading_->records[read_] : nullptr;
  }
  /// By the reader: takes the oldest record.
  void pop() noexcept { ++read_; }

  /// By the log's thread: it records no more.
  void end() noexcept { isOver_.store(true, std::memory_order_release); }
  bool isOver() const noexcept { return isOver_.load(std::memory_order_acquire); }
  /// By the reader, also if some of the log was not taken: nothing may be added to it any more.
  void giveBackChunks(ChunkPool& pool) noexcept {
    if (!reading_) reading_ = first_.load(std::memory_order_acquire);
    first_.store(nullptr, std::memory_order_relaxed);
    while (reading_) {
      Chunk* const next = reading_->next.load(std::memory_order_acquire);
      pool.giveBack(std::exchange(reading_, next));
    }
  }

 private:
  bool extend(ChunkPool& pool) noexcept;

  const std::string name_;
  const std::uint32_t track_;
  std::atomic<bool> isOver_{false};
  std::atomic<Chunk*> first_{nullptr};
  Chunk* last_ = nullptr; // the thread's
  std::uint32_t used_ = 0;
  Chunk* reading_ = nullptr; // the reader's
  std::uint32_t read_ = 0;
};

} // namespace clotho::trace
