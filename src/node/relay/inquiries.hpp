// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "node/fabric/fabric.hpp"
#include "node/relay/task_threads.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

namespace clotho::node {

/// Questions of other nodes, from when they begin to come until their answers have been sent, and the threads that
/// answer them. What a node asks beyond its limits is refused, and costs no other node anything. Builds of a node have
/// threads of their own, so that they hold up nothing else; meanwhile the node is told that they go on. Lives as long
/// as the process.
class Inquiries {
 public:
  /// Most questions that a node may have open at a time.
  static constexpr std::size_t kMostOpen = 1024;
  /// Longest question, in bytes: a program's module is the largest part of one.
  static constexpr std::size_t kMostQuestion = std::size_t{256} << 20;
  /// Most bytes of a node's open questions and their answers. A question is refused if it would make them more.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  /// A node is told so often that its build goes on.
  static constexpr std::chrono::milliseconds kWorking{1000};
  /// Tells a node that its question of this number is not forgotten.
  using Tell = std::function<void(NodeId from, std::uint64_t number)>;

  /// `others`: threads for what is no build.
  Inquiries(TaskThreads& others, Tell tell) : others_(others), tell_(std::move(tell)) {}

  /// Open questions of a node, and their bytes.
  struct Counts {
    std::atomic<std::size_t> open{0}, bytes{0};
  };
  /// A question that is open as long as something refers to this. One thread at a time.
  class Open {
   public:
    Open(std::shared_ptr<Counts> counts, NodeId from, std::uint64_t number, std::size_t size)
        : counts_(std::move(counts)), from_(from), number_(number) {
      counts_->open.fetch_add(1, std::memory_order_relaxed);
      count(size);
    }
    ~Open() {
      counts_->bytes.fetch_sub(size_, std::memory_order_relaxed);
      counts_->open.fetch_sub(1, std::memory_order_relaxed);
    }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

    NodeId from() const { return from_; }
    std::uint64_t number() const { return number_; }
    /// The question counts for so many bytes more, which are its answer's.
    void count(std::size_t bytes) noexcept {
      counts_->bytes.fetch_add(bytes, std::memory_order_relaxed);
      size_ += bytes;
    }

   private:
    const std::shared_ptr<Counts> counts_;
    const NodeId from_;
    const std::uint64_t number_;
    std::size_t size_ = 0;
  };
  /// A question that has come: its bytes, or why it is refused.
  struct Taken {
    std::unique_ptr<char[]> bytes{};
    std::size_t size = 0;
    std::shared_ptr<Open> open{};
    const char* refusal = "";
    std::string_view text() const { return {bytes.get(), size}; }
  };

  // By the fabric's thread.
  void joined(NodeId node) EXCLUDES(mutex_);
  void lost(NodeId node) noexcept EXCLUDES(mutex_);
  /// The place for a question; unwanted() if it is to be refused, null if it makes no sense.
  std::byte* placeFor(NodeId from, std::uint64_t number, std::size_t size) noexcept EXCLUDES(mutex_);
  /// A question that has come as a whole.
  Taken take(NodeId from, std::uint64_t number) noexcept EXCLUDES(mutex_);
  /// Has a question answered by a thread. False if there is none for it.
  [[nodiscard]] bool answer(const Open& open, bool isBuild, std::function<void()> task) EXCLUDES(mutex_);

 private:
  using Key = std::pair<NodeId, std::uint64_t>;
  struct Coming {
    std::unique_ptr<char[]> bytes{};
    std::size_t size = 0;
    std::shared_ptr<Open> open{};
  };
  /// Another node.
  struct Asker {
    std::shared_ptr<TaskThreads> builders;
    std::shared_ptr<Counts> counts;
    std::map<std::uint64_t, Coming> coming{}; ///< by number
  };

  /// Begins to tell the node, and ends it.
  void beginWorking(const Key& key) EXCLUDES(mutex_);
  void endWorking(const Key& key) noexcept EXCLUDES(mutex_);
  void tellAll() noexcept EXCLUDES(mutex_);

  TaskThreads& others_;
  const Tell tell_;
  Mutex mutex_;
  CondVar changed_;
  std::map<NodeId, Asker> askers_ GUARDED_BY(mutex_);
  std::set<Key> working_ GUARDED_BY(mutex_); ///< builds that are not answered
  bool isTelling_ GUARDED_BY(mutex_) = false;
};

} // namespace clotho::node
