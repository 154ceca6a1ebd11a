// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "node/fabric/fabric.hpp"
#include "node/relay/task_threads.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace clotho::node {

/// Questions of other nodes, from when they have come until they are answered, and the threads that answer them. Builds
/// of a node have threads of their own, so that they hold up nothing else; meanwhile the node is told that they go on.
/// Lives as long as the process.
class Inquiries {
 public:
  /// A node is told so often.
  static constexpr std::chrono::milliseconds kWorking{1000};
  /// Tells a node that its question of this number is not forgotten.
  using Tell = std::function<void(NodeId from, std::uint64_t number)>;

  /// `others`: threads for what is no build.
  Inquiries(TaskThreads& others, Tell tell) : others_(others), tell_(std::move(tell)) {}

  // By the fabric's thread.
  void joined(NodeId node) EXCLUDES(mutex_);
  void lost(NodeId node) noexcept EXCLUDES(mutex_);
  /// Has a question answered by a thread. False if there is none for it.
  [[nodiscard]] bool answer(NodeId from, std::uint64_t number, bool isBuild, std::function<void()> task)
      EXCLUDES(mutex_);

 private:
  using Key = std::pair<NodeId, std::uint64_t>;

  /// Begins to tell the node, and ends it.
  void beginWorking(const Key& key) EXCLUDES(mutex_);
  void endWorking(const Key& key) noexcept EXCLUDES(mutex_);
  void tellAll() noexcept EXCLUDES(mutex_);

  TaskThreads& others_;
  const Tell tell_;
  Mutex mutex_;
  CondVar changed_;
  std::map<NodeId, std::shared_ptr<TaskThreads>> builders_ GUARDED_BY(mutex_);
  std::set<Key> working_ GUARDED_BY(mutex_); ///< builds that are not answered
  bool isTelling_ GUARDED_BY(mutex_) = false;
};

} // namespace clotho::node
