// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/node_thread.hpp"

#include "device/cuda/threads.hpp"

#include <new>

namespace clotho::cuda {

void NodeThread::start(Node& node, WorkList& ready) noexcept {
  static_assert(sizeof(Waiting) <= Node::kDeviceStateSize);
  auto* waiting = new (node.deviceState()) Waiting{&node, nullptr};
  bool hasThread;
  {
    MutexLock lock(mutex_);
    if (!isStarted_) isStarted_ = startThread(name_, threadMain, this);
    hasThread = isStarted_;
    if (hasThread) {
      (last_ ? last_->next : first_) = waiting;
      last_ = waiting;
    }
  }
  if (hasThread)
    changed_.notifyOne();
  else
    node.complete(CL_OUT_OF_RESOURCES, ready);
}

Node* NodeThread::take(Helping::Filter wanted, const void* context) noexcept {
  MutexLock lock(mutex_);
  Waiting* before = nullptr;
  for (Waiting* each = first_; each; before = each, each = each->next) {
    if (!wanted(*each->node, context)) continue;
    (before ? before->next : first_) = each->next;
    if (last_ == each) last_ = before;
    return each->node;
  }
  return nullptr;
}

Node& NodeThread::next() noexcept {
  MutexLock lock(mutex_);
  changed_.wait(mutex_, [&]() REQUIRES(mutex_) { return first_ != nullptr; });
  Node& node = *first_->node;
  first_ = first_->next;
  if (!first_) last_ = nullptr;
  return node;
}

void* NodeThread::threadMain(void* thread) noexcept {
  auto& self = *static_cast<NodeThread*>(thread);
  self.context_.enterThread();
  for (;;)
    self.run_(self.owner_, self.next());
  return nullptr;
}

} // namespace clotho::cuda
