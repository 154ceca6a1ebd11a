// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "command/node.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// Recorded commands and how they are run again and again.
namespace clotho {

/// A recorded command as the order of all of them is computed from it.
struct RecordedPlace {
  std::uint32_t lane = 0;           ///< the queue that it was recorded to, by its index
  std::vector<std::uint32_t> after; ///< numbers of earlier commands, each once
};

/// The order of recorded commands: sequences, and which of them wait for which. Two commands are in one sequence if the
/// second waits for the first and for nothing else, nothing else waits for the first, and both are of one lane. So
/// commands of an in-order queue cost no more than one if no command of another queue waits for them.
class SequencePlan {
 public:
  struct Step {
    std::uint32_t lane;
    std::uint32_t first, count;       ///< in the order of steps (positionOf)
    std::vector<std::uint32_t> after; ///< numbers of earlier steps
    std::unique_ptr<PreparedSequence> prepared = std::make_unique<PreparedSequence>();
  };

  explicit SequencePlan(const std::vector<RecordedPlace>& commands);

  const std::vector<Step>& steps() const { return steps_; }
  /// The place of a command among all, in the order of the steps, with those of one step behind each other.
  std::uint32_t positionOf(std::uint32_t command) const { return positions_[command]; }
  std::size_t commandCount() const { return positions_.size(); }
  /// A command is replaced: drops what a device has prepared of its sequence and keeps the former command.
  void forgetPrepared(std::uint32_t command) const noexcept;

 private:
  std::vector<Step> steps_;
  std::vector<std::uint32_t> positions_;
};

/// All recorded commands as one enqueueing runs them. Never changed once another thread may see it: an update makes a
/// new one.
class Recording final : public Object {
 public:
  /// `commands`: in the order of the plan's steps. Null where arguments are missing; then it is not run.
  Recording(std::shared_ptr<const SequencePlan> plan, std::vector<Ref<RecordedCommand>> commands)
      : plan_(std::move(plan)), commands_(std::move(commands)) {}

  const std::shared_ptr<const SequencePlan>& plan() const { return plan_; }
  const std::vector<Ref<RecordedCommand>>& commands() const { return commands_; }
  std::span<const Ref<RecordedCommand>> commandsOf(const SequencePlan::Step& step) const {
    return std::span(commands_).subspan(step.first, step.count);
  }

 private:
  ~Recording() override = default;

  const std::shared_ptr<const SequencePlan> plan_;
  const std::vector<Ref<RecordedCommand>> commands_;
};

/// The queue that the sequences of a lane run on.
struct ReplayLane {
  DeviceQueue* deviceQueue;
  HomeId home;
  Ref<Object> owner; ///< of the device queue
};

class ReplayPool;

/// The nodes of one run of a recording with several sequences: one for each, which are used again when it is over.
class Replay final : public Object {
 public:
  /// Before it is enqueued. `isTracked`: the context has several homes.
  void prepare(Ref<Recording> recording, std::vector<ReplayLane> lanes, bool isTracked) noexcept;
  /// Begins to run; `whole`, the command that stands for all, ends when all sequences have ended. Its status is that of
  /// the first that failed.
  void start(Node& whole, WorkList& list) noexcept;

 private:
  friend class ReplayPool;
  class Step;

  explicit Replay(std::shared_ptr<const SequencePlan> plan);
  ~Replay() override;
  void destroy() noexcept override;
  void stepEnded(cl_int status, WorkList& list) noexcept;

  const std::shared_ptr<const SequencePlan> plan_;
  const std::unique_ptr<Step[]> steps_;
  Ref<Recording> recording_;
  std::vector<ReplayLane> lanes_;
  bool isTracked_ = false;
  Node* whole_ = nullptr;
  std::atomic<std::size_t> unfinished_{0};
  std::atomic<cl_int> failure_{CL_SUCCESS};
  Ref<ReplayPool> pool_; ///< while it is in use
  Replay* nextFree_ = nullptr;
};

/// The replays of one plan, of which there are as many as have ever been enqueued at once.
class ReplayPool final : public Object {
 public:
  explicit ReplayPool(std::shared_ptr<const SequencePlan> plan) : plan_(std::move(plan)) {}

  Ref<Replay> take() EXCLUDES(mutex_);

 private:
  friend class Replay;
  ~ReplayPool() override;
  void giveBack(Replay& replay) noexcept EXCLUDES(mutex_);

  const std::shared_ptr<const SequencePlan> plan_;
  Mutex mutex_;
  Replay* free_ GUARDED_BY(mutex_) = nullptr;
};

} // namespace clotho
