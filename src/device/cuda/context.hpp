// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cuda/driver.hpp"
#include "device/cuda/pool.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

namespace clotho::cuda {

/// The device's own CUDA context, apart from the application's. Lives as long as the process: a driver that unloads at
/// exit must find no call of ours.
class Context {
 public:
  /// Throws CL_OUT_OF_RESOURCES.
  Context(const Driver& api, CUdevice device);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& api() const { return api_; }

  /// Makes the context the calling thread's while it lives.
  class Current {
   public:
    explicit Current(const Context& context) noexcept
        : api_(context.api_), isPushed_(api_.ctxPushCurrent(context.context_) == CUresult::Success) {}
    ~Current() {
      CUcontext popped;
      if (isPushed_) api_.ctxPopCurrent(&popped);
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const Driver& api_;
    const bool isPushed_;
  };
  /// Makes it that of one of the device's own threads for good.
  void enterThread() const noexcept { api_.ctxSetCurrent(context_); }

  /// Whether a call succeeded. An error that CUDA contexts do not survive loses the device: from then on all of its
  /// commands fail.
  bool succeeded(CUresult result) noexcept { return result == CUresult::Success || (noteFailure(result), false); }
  bool isLost() const noexcept { return lost_.load(std::memory_order_acquire) != CUresult::Success; }
  /// The error that has lost the device; Success while it is not lost.
  CUresult loss() const noexcept { return lost_.load(std::memory_order_acquire); }

  /// True once: the loss is reported by one of the commands that it fails.
  bool isFirstReport() noexcept { return !hasReported_.exchange(true, std::memory_order_relaxed); }

  /// Lets the context copy from the memory of another GPU's without a stop in the host's. `device`: the own GPU. Where
  /// that is not possible the driver copies by way of the host.
  void reach(Context& peer, CUdevice device) noexcept;

  // Device memory; current or not.
  CUdeviceptr allocate(std::size_t bytes) noexcept;
  void deallocate(CUdeviceptr address) noexcept;
  /// Memory for what comes next in a stream, until `deallocate` is put there; current. 0 if there is none.
  CUdeviceptr allocateIn(CUstream stream, std::size_t bytes) noexcept;
  void deallocateIn(CUstream stream, CUdeviceptr address) noexcept;

 private:
  void noteFailure(CUresult result) noexcept;

  const Driver& api_;
  CUcontext context_ = nullptr;
  std::optional<MemoryPool> pool_; ///< from the constructor on
  std::atomic<CUresult> lost_{CUresult::Success};
  std::atomic<bool> hasReported_{false};
};

} // namespace clotho::cuda
