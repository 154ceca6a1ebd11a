// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/unique_fd.hpp"
#include "node/fabric/fabric.hpp"

#include <chrono>
#include <cstddef>
#include <unordered_set>

namespace clotho::node {

/// Knows which nodes are there. All else that the fabric says goes on to another receiver; without one, messages with
/// payloads are refused and others forgotten.
class Membership final : public Fabric::Receiver {
 public:
  Membership() : watch_(makeWatch()) {}

  /// Before the fabric says anything.
  void passOnTo(Fabric::Receiver* next) { next_ = next; }

  /// Waits until so many other nodes are there. False if they are not after that time.
  bool waitFor(std::size_t count, std::chrono::milliseconds patience) EXCLUDES(mutex_);
  /// A descriptor that can be read once this node is not there any more.
  const UniqueFd& watch(NodeId node) EXCLUDES(mutex_);

  void joined(NodeId node, const std::string& host) noexcept override;
  std::byte* placeFor(NodeId from, std::string_view message, std::size_t size) noexcept override;
  void received(NodeId from, std::string_view message, std::size_t payloadSize) noexcept override;
  void lost(NodeId node) noexcept override;

 private:
  static UniqueFd makeWatch();
  void signalWatch() noexcept;

  Fabric::Receiver* next_ = nullptr;
  const UniqueFd watch_;
  Mutex mutex_;
  CondVar changed_;
  std::unordered_set<NodeId> nodes_ GUARDED_BY(mutex_);
  NodeId watched_ GUARDED_BY(mutex_) = 0;
};

} // namespace clotho::node
