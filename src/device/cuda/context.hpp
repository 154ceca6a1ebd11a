// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "device/cuda/driver.hpp"

#include <atomic>
#include <cstdint>
#include <map>

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

  /// Makes the context the calling thread's while it lives, unless it is that already.
  class Current {
   public:
    explicit Current(const Context& context) noexcept : context_(context), before_(current) {
      if (before_ == &context_ || context_.api_.ctxPushCurrent(context_.context_) != CUresult::Success) return;
      current = &context_;
      isPushed_ = true;
    }
    ~Current() {
      CUcontext popped;
      if (!isPushed_) return;
      context_.api_.ctxPopCurrent(&popped);
      current = before_;
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const Context& context_;
    const Context* const before_;
    bool isPushed_ = false;
  };
  /// Makes it that of one of the device's own threads for good.
  void enterThread() const noexcept {
    if (api_.ctxSetCurrent(context_) == CUresult::Success) current = this;
  }

  /// Whether a call succeeded. An error that CUDA contexts do not survive loses the device: from then on all of its
  /// commands fail.
  bool succeeded(CUresult result) noexcept { return result == CUresult::Success || (noteFailure(result), false); }
  bool isLost() const noexcept { return lost_.load(std::memory_order_acquire) != CUresult::Success; }
  /// The error that has lost the device; Success while it is not lost.
  CUresult loss() const noexcept { return lost_.load(std::memory_order_acquire); }

  /// True once: the loss is reported by one of the commands that it fails.
  bool isFirstReport() noexcept { return !hasReported_.exchange(true, std::memory_order_relaxed); }

  // Device memory; current or not.
  CUdeviceptr allocate(std::size_t bytes) noexcept;
  void deallocate(CUdeviceptr address) noexcept;
  /// Whether the address lies in memory that allocate() gave.
  bool isDeviceAddress(const void* address) const noexcept EXCLUDES(mutex_);

 private:
  void noteFailure(CUresult result) noexcept;

  static inline thread_local const Context* current = nullptr; // that a Current of this thread has made so
  const Driver& api_;
  CUcontext context_ = nullptr;
  std::atomic<CUresult> lost_{CUresult::Success};
  std::atomic<bool> hasReported_{false};
  mutable Mutex mutex_;
  std::map<CUdeviceptr, std::size_t> allocations_ GUARDED_BY(mutex_); ///< bytes by address
};

} // namespace clotho::cuda
