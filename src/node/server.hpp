// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/unique_fd.hpp"
#include "cluster/handshake.hpp"
#include "cluster/setup.hpp"
#include "device/device.hpp"
#include "node/programs.hpp"
#include "node/relay/other_nodes.hpp"
#include "node/session.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace clotho::node {

/// Answers programs of this machine, and other nodes for programs of theirs. Each connection has a thread of its own;
/// nothing of it is looked at before it has shown the token. Lives as long as the process.
class Server {
 public:
  Server(const cluster::Token& token, std::vector<Ref<Device>> devices);

  /// Hears what comes by the fabric, which shows the token to other nodes.
  Fabric::Receiver& receiver() { return others_; }
  /// The fabric of that receiver; once. Without it, programs have the devices of this node alone.
  void use(Fabric& fabric) { others_.use(fabric); }
  /// Waits until so many other nodes have joined and programs find their devices; false if that takes too long.
  bool waitForNodes(std::size_t nodes, std::chrono::milliseconds patience) {
    return others_.roster().waitFor(nodes, patience);
  }

  /// Puts the other nodes into this order, in which programs find their devices.
  void arrange(const std::vector<NodeId>& nodes) { others_.roster().arrange(nodes); }

  /// Answers on a connection that was just accepted, on a thread of its own, as long as that takes.
  void accept(UniqueFd connection);
  /// Whether so many connections have not shown the token yet that more have to wait.
  bool isBusy() const noexcept { return strangers_.load(std::memory_order_relaxed) >= kMostStrangers; }

 private:
  class Listed;

  void serve(UniqueFd connection) noexcept;
  void answer(int connection, const cluster::ListDevices&);
  void answer(UniqueFd connection, const cluster::OpenSession& question);
  void answer(int connection, cluster::BuildProgram question);
  void answer(int connection, const cluster::AskStatus&);
  cluster::NodeStatus status() const;
  /// Answers another node; no bytes if there is no answer.
  std::string answerNode(NodeId from, Inquiry&& inquiry);
  cluster::DeviceList ownDevices() const;
  /// Makes the memory of a session, or says why it cannot be.
  void prepare(const cluster::OpenSession& question, cluster::SessionOpened& opened, std::unique_ptr<Memory>& memory);
  /// Opens a session with a device of another node.
  void openRemote(UniqueFd connection, const cluster::OpenSession& question, const Roster::Where& where);
  /// Makes code for a session of this node, or has another one do so: the answer's bytes, none if there is no such
  /// session.
  std::string build(const cluster::BuildProgram& question);
  std::string build(Session& session, const cluster::BuildProgram& question);
  Ref<Session> sessionOf(std::uint64_t number) EXCLUDES(mutex_);
  std::uint64_t nextSession() EXCLUDES(mutex_);

  static constexpr int kMostStrangers = 64;

  const cluster::Token token_;
  const std::vector<Ref<Device>> devices_;
  std::deque<Usage> usage_; ///< of each
  Programs programs_;
  std::atomic<int> strangers_{0};
  Mutex mutex_;
  std::unordered_map<std::uint64_t, Session*> sessions_ GUARDED_BY(mutex_); ///< that are served
  std::uint64_t lastSession_ GUARDED_BY(mutex_) = 0;
  OtherNodes others_;
};

} // namespace clotho::node
