// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "command/command.hpp"
#include "device/cuda/context.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

namespace clotho::cuda {

/// Large copies between the device and pageable memory of the host's, in pieces by way of pinned memory. Several
/// threads copy pieces between the two memories of the host's, each with a stream of its own, while others are on the
/// bus: one thread alone would be slower than that.
class BulkCopies {
 public:
  /// Bytes from which on it is faster than what CUDA does with such memory.
  static constexpr std::size_t kLeast = std::size_t{1} << 20;

  explicit BulkCopies(Context& context) : context_(context) {}

  /// Copies, and returns when all is done; one copy at a time. Nothing if there is no pinned memory. False if the
  /// device has failed. The context is current.
  std::optional<bool> copy(const Copy& copy) noexcept EXCLUDES(copyMutex_, mutex_);

 private:
  static constexpr std::size_t kBlockSize = std::size_t{4} << 20;
  static constexpr std::size_t kBlocks = 2; ///< of a lane: one is on the bus while the other is filled
  static constexpr std::size_t kMostLanes = 4;
  static constexpr std::size_t kPiecesOfLane = 3;
  static constexpr std::size_t kLeastPiece = std::size_t{256} << 10; ///< bytes; smaller ones cost more than they hide

  /// One thread's stream and pinned blocks.
  struct Lane {
    CUstream stream = nullptr;
    std::array<std::byte*, kBlocks> blocks{};
    std::array<CUevent, kBlocks> arrived{};
  };
  /// A copy, divided.
  class Job {
   public:
    explicit Job(const Copy& copy);
    bool isRead() const { return isRead_; }
    /// The next piece, which no other thread has: at most a block of one slice.
    std::optional<Copy> take() noexcept;
    bool hasFailed() const noexcept { return hasFailed_.load(std::memory_order_acquire); }
    void fail() noexcept { hasFailed_.store(true, std::memory_order_release); }

   private:
    Copy copy_;
    const bool isRead_;
    std::size_t pieceBytes_, pieceRows_; // of a row, and rows
    std::size_t piecesOfRow_, piecesOfSlice_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> hasFailed_{false};
  };

  static void* threadMain(void* copies) noexcept;
  void help() noexcept EXCLUDES(mutex_);
  /// Makes what all lanes need, and the threads. False if there is none.
  bool makeReady() noexcept REQUIRES(copyMutex_) EXCLUDES(mutex_);
  bool makeLane(Lane& lane) noexcept;
  void work(Job& job, Lane& lane) noexcept;
  void write(Job& job, Lane& lane) noexcept;
  void read(Job& job, Lane& lane) noexcept;

  Context& context_;
  Mutex copyMutex_; // of the thread whose copy is done
  bool isReady_ GUARDED_BY(copyMutex_) = false;
  std::array<Lane, kMostLanes> lanes_; // the first is for the thread that asks; each other one has a thread
  std::size_t laneCount_ = 0;
  Mutex mutex_;
  CondVar begun_, ended_;
  Job* job_ GUARDED_BY(mutex_) = nullptr;
  std::size_t helpers_ GUARDED_BY(mutex_) = 0; // that have a lane
  std::size_t active_ GUARDED_BY(mutex_) = 0;  // at work
  std::uint64_t jobs_ GUARDED_BY(mutex_) = 0;  // begun so far
};

} // namespace clotho::cuda
