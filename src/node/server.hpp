// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/unique_fd.hpp"
#include "cluster/handshake.hpp"
#include "cluster/setup.hpp"
#include "device/device.hpp"
#include "node/programs.hpp"
#include "node/session.hpp"

#include <atomic>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace clotho::node {

/// Answers programs of this machine. Each connection has a thread of its own; nothing of it is looked at before it has
/// shown the token.
class Server {
 public:
  Server(const cluster::Token& token, std::vector<Ref<Device>> devices);

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
  /// Why the session cannot be, or what it is made of.
  const char* prepare(const cluster::OpenSession& question, std::unique_ptr<Memory>& memory, cluster::LinkEnds& link);
  Ref<Session> sessionOf(std::uint64_t number) EXCLUDES(mutex_);

  static constexpr int kMostStrangers = 64;

  const cluster::Token token_;
  const std::vector<Ref<Device>> devices_;
  Programs programs_;
  std::atomic<int> strangers_{0};
  Mutex mutex_;
  std::unordered_map<std::uint64_t, Session*> sessions_ GUARDED_BY(mutex_); ///< that are served
  std::uint64_t lastSession_ GUARDED_BY(mutex_) = 0;
};

} // namespace clotho::node
