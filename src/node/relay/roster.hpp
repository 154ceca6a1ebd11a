// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "cluster/setup.hpp"
#include "node/fabric/fabric.hpp"
#include "node/relay/clock_offset.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clotho::node {

/// The nodes that have joined this one, and their devices, which have numbers behind those of this node's. A number is
/// never used again. A node has the name of its machine: the second one with devices there "HOST:2", and so on.
class Roster {
 public:
  /// `ownHost`: name of this machine. `ownDevices`: how many numbers are taken.
  Roster(std::string ownHost, std::uint32_t ownDevices)
      : ownHost_(std::move(ownHost)), ownDevices_(ownDevices), nextDevice_(ownDevices) {}

  void joined(NodeId node, const std::string& host) EXCLUDES(mutex_);
  void lost(NodeId node) noexcept EXCLUDES(mutex_);
  /// Puts the nodes into this order, and those that it lacks behind, and names them by it. Before programs ask.
  void arrange(const std::vector<NodeId>& order) EXCLUDES(mutex_);
  /// Most devices of a node.
  static constexpr std::size_t kMostDevices = 1024;
  /// Keeps what a node says of its devices. False if it has done so already, or has too many.
  bool listed(NodeId node, cluster::DeviceList list) EXCLUDES(mutex_);

  /// Waits until so many nodes have joined and said which devices they have; false if that takes too long.
  bool waitFor(std::size_t nodes, std::chrono::milliseconds patience) EXCLUDES(mutex_);
  /// The devices of all nodes. Waits for those that have joined and not said it yet, but not for long.
  std::vector<cluster::DeviceDescription> devices() EXCLUDES(mutex_);
  /// The nodes that are there, and their names.
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
    std::string host{}, name{};
    bool isListed = false;
    std::uint32_t firstDevice = 0;
    std::vector<cluster::DeviceDescription> devices{};
    std::shared_ptr<ClockOffset> clock{};
  };

  Entry* find(NodeId node) REQUIRES(mutex_);
  void name(Entry& entry) REQUIRES(mutex_);

  const std::string ownHost_;
  const std::uint32_t ownDevices_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<Entry> entries_ GUARDED_BY(mutex_); ///< as arranged, and then as they have joined
  std::uint32_t nextDevice_ GUARDED_BY(mutex_);
  std::map<std::string, unsigned> named_ GUARDED_BY(mutex_); ///< how many nodes of a machine have had a name
};

} // namespace clotho::node
