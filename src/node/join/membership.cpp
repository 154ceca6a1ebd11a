// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/join/membership.hpp"

#include <sys/eventfd.h>

namespace clotho::node {

UniqueFd Membership::makeWatch() {
  return aboveLowNumbers(makeFd([] { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }));
}

void Membership::signalWatch() noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(retryInterrupted([&] { return write(watch_.get(), &one, sizeof one); }));
}

bool Membership::waitFor(std::size_t count, std::chrono::milliseconds patience) {
  MutexLock lock(mutex_);
  return changed_.waitFor(mutex_, patience, [&]() NO_THREAD_SAFETY_ANALYSIS { return nodes_.size() >= count; });
}

const UniqueFd& Membership::watch(NodeId node) {
  MutexLock lock(mutex_);
  watched_ = node;
  if (!nodes_.contains(node)) signalWatch();
  return watch_;
}

void Membership::joined(NodeId node, const std::string& host) noexcept {
  if (next_) next_->joined(node, host);
  {
    MutexLock lock(mutex_);
    nodes_.insert(node);
  }
  changed_.notifyAll();
}

std::byte* Membership::placeFor(NodeId from, std::string_view message, std::size_t size) noexcept {
  return next_ ? next_->placeFor(from, message, size) : nullptr;
}

void Membership::received(NodeId from, std::string_view message, std::size_t payloadSize) noexcept {
  if (next_) next_->received(from, message, payloadSize);
}

void Membership::lost(NodeId node) noexcept {
  if (next_) next_->lost(node);
  MutexLock lock(mutex_);
  nodes_.erase(node);
  if (watched_ == node) signalWatch();
}

} // namespace clotho::node
