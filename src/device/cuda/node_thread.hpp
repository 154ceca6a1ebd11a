// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "command/node.hpp"
#include "device/cuda/context.hpp"

namespace clotho::cuda {

/// A thread that runs commands one after the other, oldest first. It begins with the first one and never ends.
class NodeThread {
 public:
  using Run = void (*)(void* owner, Node& node) noexcept;
  /// `name`: at most 15 characters. `run`: ends the command.
  NodeThread(Context& context, const char* name, Run run, void* owner)
      : context_(context), name_(name), run_(run), owner_(owner) {}

  /// Leaves a command to the thread. If the system has none it fails, and commands that become ready by that go to the
  /// list.
  void start(Node& node, WorkList& ready) noexcept EXCLUDES(mutex_);
  /// Takes away the oldest command that the thread has not begun and `wanted` accepts; null if there is none.
  Node* take(Helping::Filter wanted, const void* context) noexcept EXCLUDES(mutex_);

 private:
  struct Waiting {
    Node* node;
    Waiting* next;
  };
  static void* threadMain(void* thread) noexcept;
  Node& next() noexcept EXCLUDES(mutex_);

  Context& context_;
  const char* const name_;
  const Run run_;
  void* const owner_;
  Mutex mutex_;
  CondVar changed_;
  bool isStarted_ GUARDED_BY(mutex_) = false;
  Waiting* first_ GUARDED_BY(mutex_) = nullptr; // lie in their nodes
  Waiting* last_ GUARDED_BY(mutex_) = nullptr;
};

} // namespace clotho::cuda
