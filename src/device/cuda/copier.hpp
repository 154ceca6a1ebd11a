// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/node.hpp"
#include "device/cuda/bulk.hpp"
#include "device/cuda/context.hpp"
#include "device/cuda/node_thread.hpp"

#include <optional>

namespace clotho::cuda {

struct QueueServices;

/// A copy in a stream; the addresses are those of the device or of the host. Does not wait. False if CUDA refuses, or
/// there is no memory for bytes that overlap.
bool copyInStream(Context& context, const Copy& copy, CUstream stream) noexcept;

/// Runs copies that have one end in memory of the application's, which is not pinned, and that are not for Staging:
/// CUDA keeps the calling thread until such bytes are read or written, so they have a thread and a stream of their own.
class Copier {
 public:
  explicit Copier(QueueServices& services);

  /// Makes its stream, once. By one thread at a time. Throws CL_OUT_OF_RESOURCES.
  void makeReady();
  /// Writes bytes of the host's to the device's memory, and waits for that. False if the device is lost.
  bool write(void* to, const void* from, std::size_t size) noexcept;
  /// Begins a command with a Copy whose dependencies are met. It runs when those that are only issued are over, too.
  /// Returns at once. If it fails at once, commands that become ready by that go to the list.
  void start(Node& node, WorkList& ready) noexcept { thread_.start(node, ready); }
  /// Runs a copy that `wanted` accepts, if there is one, on the calling thread; whether there was.
  bool help(Helping::Filter wanted, const void* context) noexcept;

 private:
  /// Runs the copy of a command, and ends the command.
  void copy(Node& node) noexcept;
  /// Copies between two places of the host's, and what BulkCopies is for. Whether it succeeded; nothing for other
  /// copies.
  std::optional<bool> copyByHost(const Copy& copy) noexcept;

  QueueServices& services_;
  Context& context_;
  BulkCopies bulk_;
  CUstream stream_ = nullptr; // of all threads that copy
  NodeThread thread_;
};

} // namespace clotho::cuda
