// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "node/fabric/fabric.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace clotho::node::test {

/// Nodes of one process and the ways between them, which take a settable time and can be cut. Stands in for a network.
/// Lives as long as the process, since each node has a thread here.
class LocalFabric {
 public:
  using Clock = std::chrono::steady_clock;

  LocalFabric();
  ~LocalFabric();
  LocalFabric(const LocalFabric&) = delete;
  LocalFabric& operator=(const LocalFabric&) = delete;

  /// The time that a message takes, both ways, from now on.
  void setDelay(std::chrono::microseconds delay) { delay_.store(delay); }
  /// Keeps what comes for a node on its way, as a network does that is slow, or lets it go.
  void hold(NodeId to, bool isHeld);
  /// Adds a node, before any joins.
  Fabric& add(NodeId node, const std::string& host, Fabric::Receiver& receiver);
  /// Each node joins all others.
  void joinAll();
  /// Cuts the way between two nodes: each loses the other. What is under way is lost.
  void cut(NodeId one, NodeId other);
  /// Cuts all ways to a node.
  void lose(NodeId node);

  /// Messages and bytes of payloads that nodes have sent to each other.
  std::uint64_t messages() const { return messages_.load(); }
  std::uint64_t payloadBytes() const { return payloadBytes_.load(); }
  /// Bytes of texts that nodes have sent to each other.
  std::uint64_t textBytes() const { return textBytes_.load(); }
  /// Bytes of payloads that one node has sent to another one.
  std::uint64_t payloadBytes(NodeId from, NodeId to) const;

 private:
  class End;
  End* find(NodeId node) const;

  std::vector<std::unique_ptr<End>> ends_;
  std::atomic<std::chrono::microseconds> delay_{std::chrono::microseconds(0)};
  std::atomic<std::uint64_t> messages_{0}, payloadBytes_{0}, textBytes_{0};
};

} // namespace clotho::node::test
