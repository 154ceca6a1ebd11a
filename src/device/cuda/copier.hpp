// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "command/node.hpp"
#include "device/cuda/bulk.hpp"
#include "device/cuda/context.hpp"

#include <optional>

namespace clotho::cuda {

struct QueueServices;

/// A copy in a stream; the addresses are those of the device or of the host. Does not wait.
bool copyInStream(Context& context, const Copy& copy, CUstream stream) noexcept;

/// Runs copies that have one end in memory of the application's, which is not pinned, and that are not for Staging:
/// CUDA keeps the calling thread until such bytes are read or written, so they have a thread and a stream of their own.
class Copier {
 public:
  explicit Copier(QueueServices& services);

  /// Makes its stream. Throws CL_OUT_OF_RESOURCES.
  void makeReady() EXCLUDES(mutex_);
  /// Writes bytes of the host's to the device's memory, and waits for that. False if the device is lost.
  bool write(void* to, const void* from, std::size_t size) noexcept;
  /// Begins a command with a Copy whose dependencies are met. It runs when those that are only issued are over, too.
  /// Returns at once. If it fails at once, commands that become ready by that go to the list.
  void start(Node& node, WorkList& ready) noexcept EXCLUDES(mutex_);
  /// Runs a copy that `wanted` accepts, if there is one, on the calling thread; whether there was.
  bool help(Helping::Filter wanted, const void* context) noexcept EXCLUDES(mutex_);

 private:
  struct Waiting {
    Node* node;
    Waiting* next;
  };
  static void* threadMain(void* copier) noexcept;
  void run() noexcept;
  /// Runs the copy of a command that is not in the list any more, and ends the command.
  void copy(Node& node) noexcept;
  /// Copies between two places of the host's, and what BulkCopies is for. Whether it succeeded; nothing for other
  /// copies.
  std::optional<bool> copyByHost(const Copy& copy) noexcept;

  QueueServices& services_;
  Context& context_;
  BulkCopies bulk_;
  CUstream stream_ = nullptr; // of all threads that copy
  Mutex mutex_;
  CondVar changed_;
  bool isStarted_ GUARDED_BY(mutex_) = false;
  Waiting* first_ GUARDED_BY(mutex_) = nullptr;
  Waiting* last_ GUARDED_BY(mutex_) = nullptr;
};

} // namespace clotho::cuda
