// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "node/fabric/fabric.hpp"
#include "node/relay/traffic.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace clotho::node {

/// A fabric, how much has gone by it, and the ways to its nodes. Lives as long as the process.
class CountedFabric final : public Fabric {
 public:
  struct Count {
    std::atomic<std::uint64_t> messages{0}, bytes{0}; ///< bytes: of payloads
    void add(std::size_t payload) noexcept {
      messages.fetch_add(1, std::memory_order_relaxed);
      bytes.fetch_add(payload, std::memory_order_relaxed);
    }
  };

  explicit CountedFabric(Count& sent) : sent_(sent) {}
  /// Before anything is sent.
  void use(Fabric& fabric) noexcept { fabric_ = &fabric; }
  /// Before anything is sent to the node. Throws bad_alloc.
  std::shared_ptr<Traffic> joined(NodeId node) EXCLUDES(mutex_) {
    auto traffic = std::make_shared<Traffic>();
    MutexLock lock(mutex_);
    return traffic_[node] = std::move(traffic);
  }
  void lost(NodeId node) noexcept EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    traffic_.erase(node);
  }
  /// Null if the node is not there.
  std::shared_ptr<Traffic> trafficOf(NodeId node) noexcept EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = traffic_.find(node);
    return found == traffic_.end() ? nullptr : found->second;
  }

  void send(NodeId to, std::string_view message, Payload payload, Urgency urgency) noexcept override {
    sent_.add(payload.bytes.size());
    if (payload.bytes.size() >= Traffic::kLarge)
      if (const std::shared_ptr<Traffic> traffic = trafficOf(to)) payload = Traffic::watch(traffic, std::move(payload));
    fabric_->send(to, message, std::move(payload), urgency);
  }
  void drop(NodeId node) noexcept override { fabric_->drop(node); }

 private:
  Count& sent_;
  Fabric* fabric_ = nullptr;
  Mutex mutex_;
  std::unordered_map<NodeId, std::shared_ptr<Traffic>> traffic_ GUARDED_BY(mutex_);
};

} // namespace clotho::node
