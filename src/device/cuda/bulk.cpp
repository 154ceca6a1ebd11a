// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/bulk.hpp"

#include "device/cuda/copier.hpp"
#include "device/cuda/rows.hpp"
#include "device/cuda/threads.hpp"

#include <algorithm>
#include <thread>

namespace clotho::cuda {

// --- Pieces ---

BulkCopies::Job::Job(const Copy& copy) : copy_(shapeOf(copy)), isRead_(endsOf(copy).source == Addresses::Kind::Device) {
  if (copy_.rows * copy_.slices > 1 && isDense(copy_)) {
    copy_.rowBytes = bytesOf(copy_);
    copy_.rows = copy_.slices = 1;
  }
  // Some pieces for each lane, so that all have work and bus and processors are busy at once.
  const std::size_t size = std::clamp(bytesOf(copy_) / (kPiecesOfLane * kMostLanes), kLeastPiece, kBlockSize);
  pieceBytes_ = std::min(copy_.rowBytes, size);
  pieceRows_ = size / pieceBytes_;
  if (pieceBytes_ < copy_.rowBytes) pieceRows_ = 1;
  piecesOfRow_ = (copy_.rowBytes + pieceBytes_ - 1) / pieceBytes_;
  piecesOfSlice_ = (copy_.rows + pieceRows_ - 1) / pieceRows_ * piecesOfRow_;
}

std::optional<Copy> BulkCopies::Job::take() noexcept {
  const std::size_t piece = next_.fetch_add(1, std::memory_order_relaxed);
  if (hasFailed() || piece >= piecesOfSlice_ * copy_.slices) return std::nullopt;
  const std::size_t slice = piece / piecesOfSlice_, row = piece % piecesOfSlice_ / piecesOfRow_ * pieceRows_,
                    byte = piece % piecesOfRow_ * pieceBytes_;
  Copy result = shapeOf(copy_);
  result.source += slice * copy_.sourceSlicePitch + row * copy_.sourceRowPitch + byte;
  result.target += slice * copy_.targetSlicePitch + row * copy_.targetRowPitch + byte;
  result.rowBytes = std::min(pieceBytes_, copy_.rowBytes - byte);
  result.rows = std::min(pieceRows_, copy_.rows - row);
  result.slices = 1;
  return result;
}

// --- Threads ---

bool BulkCopies::makeLane(Lane& lane) noexcept {
  const Driver& api = context_.api();
  if (!context_.succeeded(api.streamCreate(&lane.stream, kStreamNonBlocking))) return false;
  void* memory = nullptr;
  if (!context_.succeeded(api.memHostAlloc(&memory, kBlocks * kBlockSize, kHostAllocPortable))) return false;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    lane.blocks[i] = static_cast<std::byte*>(memory) + i * kBlockSize;
    if (!context_.succeeded(api.eventCreate(&lane.arrived[i], kEventDisableTiming))) return false;
  }
  return true;
}

// Two threads keep bus and memory busy at once. More pay as long as the host has processors for other work, too.
bool BulkCopies::makeReady() noexcept {
  if (isReady_) return laneCount_ != 0;
  isReady_ = true;
  const std::size_t wanted = std::clamp<std::size_t>(std::thread::hardware_concurrency() / 4, 2, kMostLanes);
  while (laneCount_ < wanted && makeLane(lanes_[laneCount_]))
    ++laneCount_;
  for (std::size_t i = 1; i < laneCount_; ++i)
    startThread("clotho-gpu-bulk", threadMain, this);
  return laneCount_ != 0;
}

void* BulkCopies::threadMain(void* copies) noexcept {
  static_cast<BulkCopies*>(copies)->help();
  return nullptr;
}

void BulkCopies::help() noexcept {
  context_.enterThread();
  std::uint64_t last = 0; // job that this thread has helped with
  Lane* lane = nullptr;
  for (;;) {
    Job* job;
    {
      MutexLock lock(mutex_);
      if (!lane) lane = &lanes_[++helpers_];
      begun_.wait(mutex_, [&]() REQUIRES(mutex_) { return job_ && jobs_ != last; });
      job = job_;
      last = jobs_;
      ++active_;
    }
    work(*job, *lane);
    MutexLock lock(mutex_);
    if (--active_ == 0) ended_.notifyOne();
  }
}

std::optional<bool> BulkCopies::copy(const Copy& copy) noexcept {
  MutexLock copyLock(copyMutex_);
  if (!makeReady()) return std::nullopt;
  Job job(copy);
  {
    MutexLock lock(mutex_);
    job_ = &job;
    ++jobs_;
  }
  begun_.notifyAll();
  work(job, lanes_.front());
  MutexLock lock(mutex_);
  job_ = nullptr;
  ended_.wait(mutex_, [&]() REQUIRES(mutex_) { return active_ == 0; });
  return !job.hasFailed();
}

// --- A lane's part ---

// Also after an error: what was begun works with memory that the application may free.
void BulkCopies::work(Job& job, Lane& lane) noexcept {
  const Context::Current current(context_);
  if (context_.isLost()) return job.fail();
  job.isRead() ? read(job, lane) : write(job, lane);
  if (!context_.succeeded(context_.api().streamSynchronize(lane.stream))) job.fail();
}

void BulkCopies::write(Job& job, Lane& lane) noexcept {
  const Driver& api = context_.api();
  for (std::size_t i = 0; const std::optional<Copy> piece = job.take(); ++i) {
    const std::size_t block = i % kBlocks;
    if (i >= kBlocks && !context_.succeeded(api.eventSynchronize(lane.arrived[block]))) return job.fail();
    copyRows(intoDense(*piece, lane.blocks[block]));
    if (!copyInStream(context_, fromDense(*piece, lane.blocks[block]), lane.stream) ||
        !context_.succeeded(api.eventRecord(lane.arrived[block], lane.stream)))
      return job.fail();
  }
}

void BulkCopies::read(Job& job, Lane& lane) noexcept {
  const Driver& api = context_.api();
  std::optional<Copy> before;
  for (std::size_t i = 0;; ++i) {
    const std::size_t block = i % kBlocks, other = (i + kBlocks - 1) % kBlocks;
    const std::optional<Copy> piece = job.take();
    if (piece && (!copyInStream(context_, intoDense(*piece, lane.blocks[block]), lane.stream) ||
                  !context_.succeeded(api.eventRecord(lane.arrived[block], lane.stream))))
      return job.fail();
    if (before) {
      if (!context_.succeeded(api.eventSynchronize(lane.arrived[other]))) return job.fail();
      copyRows(fromDense(*before, lane.blocks[other]));
    }
    if (!piece) return;
    before = piece;
  }
}

} // namespace clotho::cuda
