// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "cluster/setup.hpp"
#include "node/fabric/fabric.hpp"
#include "node/relay/clock_offset.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clotho::node {

/// The nodes that have joined this one, and their devices, which have numbers behind those of this node's. A number is
/// never used again.
class Roster {
 public:
  /// `ownDevices`: how many numbers are taken.
  explicit Roster(std::uint32_t ownDevices) : nextDevice_(ownDevices) {}

  void joined(NodeId node, const std::string& host) EXCLUDES(mutex_);
  void lost(NodeId node) noexcept EXCLUDES(mutex_);
  /// Keeps what a node says of its devices. False if it has done so already.
  bool listed(NodeId node, cluster::DeviceList list) EXCLUDES(mutex_);

  /// Waits until so many nodes have joined and said which devices they have; false if that takes too long.
  bool waitFor(std::size_t nodes, std::chrono::milliseconds patience) EXCLUDES(mutex_);
  /// The devices of all nodes. Waits for those that have joined and not said it yet, but not for long.
  std::vector<cluster::DeviceDescription> devices() EXCLUDES(mutex_);
  /// The nodes that are there, and the names of their machines.
  std::vector<std::pair<NodeId, std::string>> nodes() EXCLUDES(mutex_);
  /// A device by its number.
  struct Where {
    NodeId node;
    std::uint32_t device;               ///< by its place among those of the node
    std::shared_ptr<ClockOffset> clock; ///< of the node
  };
  std::optional<Where> find(std::uint32_t number) EXCLUDES(mutex_);
  /// The clock of a node that is there; or null.
  std::shared_ptr<ClockOffset> clockOf(NodeId node) EXCLUDES(mutex_);

 private:
  struct Entry {
    NodeId node = 0;
    std::string host{};
    bool isListed = false;
    std::uint32_t firstDevice = 0;
    std::vector<cluster::DeviceDescription> devices{};
    std::shared_ptr<ClockOffset> clock{};
  };

  Entry* find(NodeId node) REQUIRES(mutex_);

  Mutex mutex_;
  CondVar changed_;
  std::vector<Entry> entries_ GUARDED_BY(mutex_); ///< in the order in which they have joined
  std::uint32_t nextDevice_ GUARDED_BY(mutex_);
};

} // namespace clotho::node
