// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command/replay.hpp"

#include "command/work_list.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace clotho {

namespace {

/// Barriers alone need no device.
Command workOf(const Ref<Recording>& recording, const SequencePlan::Step& step) noexcept {
  const std::span<const Ref<RecordedCommand>> commands = recording->commandsOf(step);
  const bool isOnlyOrder = std::all_of(commands.begin(), commands.end(), [](const Ref<RecordedCommand>& each) {
    return std::holds_alternative<Nothing>(each->command());
  });
  if (isOnlyOrder) return Nothing{};
  return Sequence{.owner = recording, .commands = commands, .prepared = step.prepared.get()};
}

} // namespace

SequencePlan::SequencePlan(const std::vector<RecordedPlace>& commands) {
  const std::size_t count = commands.size();
  std::vector<std::uint32_t> successors(count);
  for (const RecordedPlace& command : commands)
    for (std::uint32_t predecessor : command.after)
      ++successors[predecessor];
  // Steps wait for steps that began earlier, so that there is no circle.
  std::vector<std::uint32_t> stepOf(count), placeInStep(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<std::uint32_t>& before = commands[i].after;
    const bool continues =
        before.size() == 1 && successors[before.front()] == 1 && commands[before.front()].lane == commands[i].lane;
    if (continues) {
      stepOf[i] = stepOf[before.front()];
    } else {
      stepOf[i] = static_cast<std::uint32_t>(steps_.size());
      Step& step = steps_.emplace_back(Step{.lane = commands[i].lane, .first = 0, .count = 0, .after = {}});
      for (std::uint32_t predecessor : before)
        step.after.push_back(stepOf[predecessor]);
      std::sort(step.after.begin(), step.after.end());
      step.after.erase(std::unique(step.after.begin(), step.after.end()), step.after.end());
    }
    placeInStep[i] = steps_[stepOf[i]].count++;
  }
  std::uint32_t first = 0;
  for (Step& step : steps_)
    step.first = std::exchange(first, first + step.count);
  positions_.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    positions_[i] = steps_[stepOf[i]].first + placeInStep[i];
}

void SequencePlan::forgetPrepared(std::uint32_t command) const noexcept {
  const auto behind = std::ranges::upper_bound(steps_, positionOf(command), {}, &Step::first);
  PreparedSequence& sequence = *std::prev(behind)->prepared;
  std::unique_ptr<PreparedCommand> former; // outlives the lock
  MutexLock lock(sequence.mutex);
  if (sequence.prepared && sequence.prepared->keepsCommands()) former = std::move(sequence.prepared);
}

// --- Replay ---

/// The node of one sequence.
class Replay::Step final : public Node {
 public:
  Step() : Node(nullptr, work_, state_, /*isTimed=*/false) {}

  const Node& whole() const noexcept override { return replay_->whole_->whole(); }

  void prepare(Replay& replay, std::size_t dependencies) {
    replay_ = &replay;
    reserveDependencies(dependencies);
  }
  void renewFor(const ReplayLane& lane, bool isTracked, std::size_t dependencies, Command&& work) noexcept {
    renew(lane.deviceQueue);
    reserveDependencies(dependencies);
    if (isTracked) setHome(lane.home);
    work_ = std::move(work);
    static_cast<void>(Ref<Step>::adopt(this).detach()); // the node's own until it is done
  }
  void report(std::string message, LogLevel level) noexcept override {
    replay_->whole_->report(std::move(message), level);
  }

 private:
  void ended(cl_int status, WorkList& list) noexcept override { replay_->stepEnded(status, list); }
  void destroy() noexcept override { replay_->release(); } // no reference to the node is left: it can be used again

  Replay* replay_ = nullptr;
  Command work_;
  DeviceState state_;
};

Replay::Replay(std::shared_ptr<const SequencePlan> plan)
    : plan_(std::move(plan)), steps_(new Step[plan_->steps().size()]) {
  for (std::size_t i = 0; i < plan_->steps().size(); ++i)
    steps_[i].prepare(*this, plan_->steps()[i].after.size());
}

Replay::~Replay() = default;

void Replay::prepare(Ref<Recording> recording, std::vector<ReplayLane> lanes, bool isTracked) noexcept {
  recording_ = std::move(recording);
  lanes_ = std::move(lanes);
  isTracked_ = isTracked;
}

void Replay::start(Node& whole, WorkList& list) noexcept {
  const std::vector<SequencePlan::Step>& steps = plan_->steps();
  whole_ = &whole;
  failure_.store(CL_SUCCESS, std::memory_order_relaxed);
  unfinished_.store(steps.size(), std::memory_order_relaxed);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    retain(); // by the step
    steps_[i].renewFor(lanes_[steps[i].lane], isTracked_, steps[i].after.size(), workOf(recording_, steps[i]));
    for (std::uint32_t predecessor : steps[i].after)
      steps_[i].dependOn(steps_[predecessor], /*passesFailure=*/true);
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    steps_[i].arm(list);
}

void Replay::stepEnded(cl_int status, WorkList& list) noexcept {
  cl_int none = CL_SUCCESS;
  if (status < 0) failure_.compare_exchange_strong(none, status, std::memory_order_relaxed);
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const cl_int failure = failure_.load(std::memory_order_relaxed);
  whole_->complete(failure < 0 ? failure : CL_COMPLETE, list);
}

void Replay::destroy() noexcept {
  recording_ = nullptr;
  lanes_.clear();
  const Ref<ReplayPool> pool = std::move(pool_);
  pool->giveBack(*this);
}

Ref<Replay> ReplayPool::take() {
  Replay* replay;
  {
    MutexLock lock(mutex_);
    replay = free_;
    if (replay) free_ = replay->nextFree_;
  }
  if (!replay) replay = new Replay(plan_);
  replay->pool_ = Ref<ReplayPool>(*this);
  return Ref<Replay>::adopt(replay);
}

void ReplayPool::giveBack(Replay& replay) noexcept {
  MutexLock lock(mutex_);
  replay.nextFree_ = free_;
  free_ = &replay;
}

ReplayPool::~ReplayPool() {
  MutexLock lock(mutex_);
  while (Replay* replay = free_) {
    free_ = replay->nextFree_;
    delete replay;
  }
}

} // namespace clotho
