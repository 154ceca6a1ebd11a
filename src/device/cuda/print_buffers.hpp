// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "device/cuda/context.hpp"
#include "device/cuda/cuda_program.hpp"

#include <deque>
#include <vector>

namespace clotho {
class Node;
} // namespace clotho

namespace clotho::cuda {

class Stream;

/// Buffers in the device's memory for what running kernels print (abi/printf.h). Only some printing launches are in the
/// streams at a time, so that many queued ones do not take all memory: others wait here until one of these ends.
class PrintBuffers {
 public:
  static constexpr std::size_t kSize = std::size_t{1} << 20; ///< CL_DEVICE_PRINTF_BUFFER_SIZE
  static constexpr std::size_t kMost = 32;                   ///< printing commands that are issued at a time

  /// A command that waits to be issued.
  struct Waiting {
    Stream* stream = nullptr;
    Node* node = nullptr;
  };

  explicit PrintBuffers(Context& context) : context_(context) {}
  /// Whether a printing command may be issued now. If not it comes from `ended` later.
  bool mayIssue(Stream& stream, Node& node) noexcept EXCLUDES(mutex_);
  /// A command for which that was asked has ended: one that may be issued now; without a node if there is none.
  Waiting ended() noexcept EXCLUDES(mutex_);
  /// One that is empty for what comes next in the stream; 0 if there is no memory.
  CUdeviceptr acquire(CUstream stream) noexcept EXCLUDES(mutex_);
  /// Prints what the kernel has printed for a node (Node::print), and keeps the buffer for another launch. The context
  /// is current.
  void printAndRelease(CUdeviceptr buffer, const CudaKernel& kernel, Node& node) noexcept EXCLUDES(mutex_);

 private:
  Context& context_;
  Mutex mutex_;
  std::vector<CUdeviceptr> free_ GUARDED_BY(mutex_);
  std::size_t issued_ GUARDED_BY(mutex_) = 0; // commands
  std::deque<Waiting> waiting_ GUARDED_BY(mutex_);
};

} // namespace clotho::cuda
