// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "node/fabric/mesh.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace clotho::node {

/// A node of a test: a mesh on the loopback interface, and a receiver that remembers what it hears.
class TestNode final : private Fabric::Receiver {
 public:
  struct Received {
    std::string text, payload;
    bool operator==(const Received&) const = default;
  };

  explicit TestNode(std::uint8_t token = 5);

  bool isOpen() const { return mesh_ != nullptr; }
  Mesh& mesh() { return *mesh_; }
  /// Ends the mesh, as the end of its process would.
  void end() { mesh_.reset(); }

  /// Waits for it; false if it does not come in some seconds.
  bool hearsOf(NodeId node);
  bool loses(NodeId node);
  bool receives(NodeId node, std::size_t messages);
  std::vector<Received> from(NodeId node) EXCLUDES(mutex_);
  /// Whether it has heard of any node, ever.
  bool isAlone() EXCLUDES(mutex_);
  std::size_t calledAfterLoss() EXCLUDES(mutex_);

  void refusePayloads() { refuses_ = true; }
  /// From now on each message is sent back.
  void echo() { echoes_ = true; }

 private:
  struct Known {
    bool isLost = false;
    std::vector<Received> messages{};
    std::map<std::string, std::vector<std::byte>> places{}; ///< of payloads, by the texts of their messages
  };

  void joined(NodeId node, const std::string& host) noexcept override;
  std::byte* placeFor(NodeId from, std::string_view message, std::size_t size) noexcept override;
  void received(NodeId from, std::string_view message, std::size_t payloadSize) noexcept override;
  void lost(NodeId node) noexcept override;
  bool waitUntil(const std::function<bool()>& done) EXCLUDES(mutex_);
  /// Notes a call for a node that has not joined or is lost.
  Known* find(NodeId node) REQUIRES(mutex_);

  std::atomic<bool> refuses_{false}, echoes_{false};
  Mutex mutex_;
  CondVar changed_;
  std::map<NodeId, Known> nodes_ GUARDED_BY(mutex_);
  std::size_t misplacedCalls_ GUARDED_BY(mutex_) = 0;
  std::unique_ptr<Mesh> mesh_; ///< ends first
};

/// A payload of so many bytes, which differ by `seed`.
Payload payloadOf(std::size_t size, unsigned seed);
std::string textOfPayload(std::size_t size, unsigned seed);

} // namespace clotho::node
