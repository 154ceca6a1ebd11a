// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "node/fabric/fabric.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace clotho::node {

/// A fabric, and how much has gone by it. Lives as long as the process.
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

  void send(NodeId to, std::string_view message, Payload payload, Urgency urgency) noexcept override {
    sent_.add(payload.bytes.size());
    fabric_->send(to, message, std::move(payload), urgency);
  }
  void drop(NodeId node) noexcept override { fabric_->drop(node); }

 private:
  Count& sent_;
  Fabric* fabric_ = nullptr;
};

} // namespace clotho::node
