// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cuda/driver.hpp"
#include "device/cuda/pool.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

namespace clotho::cuda {

/// The device's own CUDA context, apart from the application's. Lives as long as the process. At the end of the process
/// the device is lost before the driver unloads, and no thread makes a call of CUDA's from then on.
class Context {
 public:
  /// Throws CL_OUT_OF_RESOURCES.
  Context(const Driver& api, CUdevice device);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& api() const { return api_; }
  CUdevice device() const { return device_; }

  /// Makes the context the calling thread's while it lives, unless it is that already. The end of the process waits for
  /// that. Threads that find the device lost afterwards make no calls.
  class Current {
   public:
    explicit Current(Context& context) noexcept : context_(context), before_(current) {
      if (before_ == &context_ || !context_.enter()) return;
      hasEntered_ = true;
      isPushed_ = (own != &context_ || before_) && context_.api_.ctxPushCurrent(context_.context_) == CUresult::Success;
      current = &context_;
    }
    ~Current() {
      if (!hasEntered_) return;
      current = before_;
      CUcontext popped;
      if (isPushed_) context_.api_.ctxPopCurrent(&popped);
      context_.leave();
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    Context& context_;
    const Context* const before_;
    bool hasEntered_ = false, isPushed_ = false;
  };
  /// Makes it that of one of the device's own threads for good, so that Current has less to do.
  void enterThread() const noexcept {
    if (api_.ctxSetCurrent(context_) == CUresult::Success) own = this;
  }
  /// In a forked child: objects of the parent's make no more calls.
  void leaveInChild() noexcept {
    lost_.store(CUresult::Deinitialised, std::memory_order_relaxed);
    isLeft_.store(true, std::memory_order_relaxed);
  }
  /// Whether a call succeeded. An error that CUDA contexts do not survive loses the device: from then on all of its
  /// commands fail.
  bool succeeded(CUresult result) noexcept { return result == CUresult::Success || (noteFailure(result), false); }
  /// Loses the device, of which CUDA itself says nothing.
  void lose(CUresult why) noexcept { noteFailure(why); }
  bool isLost() const noexcept { return lost_.load(std::memory_order_acquire) != CUresult::Success; }
  /// The error that has lost the device; Success while it is not lost.
  CUresult loss() const noexcept { return lost_.load(std::memory_order_acquire); }

  /// True once: the loss is reported by one of the commands that it fails. The end of the process is none.
  bool isFirstReport() noexcept {
    return loss() != CUresult::Deinitialised && !hasReported_.exchange(true, std::memory_order_relaxed);
  }

  /// Lets the context copy from the memory of another GPU's without a stop in the host's. `device`: the own GPU. Where
  /// that is not possible the driver copies by way of the host.
  void reach(Context& peer, CUdevice device) noexcept;

  // Device memory; current or not.
  CUdeviceptr allocate(std::size_t bytes) noexcept;
  void deallocate(CUdeviceptr address) noexcept;
  /// Memory at these addresses. False if something of the process is there, or if there is not so much.
  bool allocateAt(CUdeviceptr address, std::size_t bytes) noexcept;
  void deallocateAt(CUdeviceptr address, std::size_t bytes) noexcept;
  /// Memory for what comes next in a stream, until `deallocate` is put there; current. 0 if there is none.
  CUdeviceptr allocateIn(CUstream stream, std::size_t bytes) noexcept;
  void deallocateIn(CUstream stream, CUdeviceptr address) noexcept;

 private:
  void noteFailure(CUresult result) noexcept;
  /// Puts memory to addresses that are reserved.
  bool map(CUdeviceptr address, std::size_t bytes) noexcept;
  /// Registers what is to be done at the end of the process.
  void leaveBeforeDriver() noexcept;
  /// The process ends: loses the device, and waits for threads in calls of CUDA's, but not for long.
  void leaveAtExit() noexcept;

  bool enter() noexcept {
    inside_.fetch_add(1, std::memory_order_seq_cst);
    if (!isLeft_.load(std::memory_order_seq_cst)) [[likely]]
      return true;
    leave();
    return false;
  }
  void leave() noexcept { inside_.fetch_sub(1, std::memory_order_release); }

  static inline thread_local const Context* current = nullptr; // that a Current of this thread has made so
  static inline thread_local const Context* own = nullptr;     // of this thread for good
  const Driver& api_;
  const CUdevice device_;
  CUcontext context_ = nullptr;
  std::optional<MemoryPool> pool_; ///< from the constructor on
  std::atomic<CUresult> lost_{CUresult::Success};
  std::atomic<bool> hasReported_{false};
  Context* older_ = nullptr; ///< in the list of all
  std::atomic<bool> isLeft_{false};
  alignas(64) std::atomic<int> inside_{0}; ///< instances of Current
};

} // namespace clotho::cuda
