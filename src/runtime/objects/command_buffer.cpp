// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/command_buffer.hpp"

#include "runtime/capture/captures.hpp"
#include "runtime/process.hpp"
#include "runtime/versions/loaded_code.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace clotho {

void MutableCommand::destroy() noexcept { Process::get().slab<MutableCommand>().destroy(this); }

CommandBuffer::CommandBuffer(std::vector<Ref<Queue>> queues, Traits traits)
    : queues_(std::move(queues)), traits_(std::move(traits)), lastOfLane_(queues_.size()),
      chainOfLane_(queues_.size()) {}

CommandBuffer::~CommandBuffer() = default;

void CommandBuffer::destroy() noexcept { Process::get().slab<CommandBuffer>().destroy(this); }

cl_command_buffer_state_khr CommandBuffer::state() const {
  MutexLock lock(mutex_);
  if (!isFinalized_) return CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
  return lacksArguments() ? CL_COMMAND_BUFFER_STATE_FINALIZED_KHR : CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
}

// --- Recording ---

void CommandBuffer::checkRecording() const {
  MutexLock lock(mutex_);
  check(!isFinalized_, CL_INVALID_OPERATION, "the command buffer is finalized");
}

cl_sync_point_khr CommandBuffer::record(Command command, std::span<const cl_sync_point_khr> waits, bool isBarrier,
                                        cl_mutable_command_khr* handle) {
  MutexLock lock(mutex_);
  check(!isFinalized_, CL_INVALID_OPERATION, "the command buffer is finalized");
  check(commands_.size() < UINT32_MAX, CL_OUT_OF_RESOURCES, "as many commands as there are sync points");
  // The sync point of a command is its number, counted from 1 on.
  for (const cl_sync_point_khr point : waits) {
    check(point > 0 && point <= commands_.size(), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, "not a sync point");
    command.after.push_back(point - 1);
  }
  addOrder(command, isBarrier, !waits.empty());

  const auto number = static_cast<std::uint32_t>(commands_.size());
  const bool isIncomplete = !command.command;
  const bool hasVersions = command.dispatch && command.dispatch->state->hasVersions();
  isAwaited_.resize(number + std::size_t{1});
  if (hasVersions) versioned_.reserve(versioned_.size() + 1);
  if (handle) command.handle = make<MutableCommand>(*this, number);
  commands_.push_back(std::move(command));
  // From here on nothing fails.
  for (const std::uint32_t predecessor : commands_.back().after)
    isAwaited_[predecessor] = true;
  if (isIncomplete) ++incomplete_;
  if (hasVersions) versioned_.push_back(number);
  lastOfLane_[commands_.back().lane] = number;
  if (isBarrier) {
    barrier_ = number;
    if (waits.empty()) afterAll_ = number;
  }
  if (handle) *handle = commands_.back().handle.get();
  return number + 1;
}

/// Adds the order of a command beside its sync points.
void CommandBuffer::addOrder(Command& command, bool isBarrier, bool hasWaits) {
  const std::optional<std::uint32_t> last = lastOfLane_[command.lane];
  if (last && queues_[command.lane]->isInOrder()) {
    if (*last < copied_)
      addCopied(command);
    else
      command.after.push_back(*last);
  }
  if (isBarrier && !hasWaits)
    for (auto i = afterAll_; i < commands_.size(); ++i)
      if (!isAwaited_[i]) command.after.push_back(i);
  // All that is younger than the barrier waits for it already.
  const auto isYounger = [barrier = barrier_](std::uint32_t each) { return each >= *barrier; };
  if (barrier_ && std::none_of(command.after.begin(), command.after.end(), isYounger))
    command.after.push_back(*barrier_);
  dropImplied(command.after);
}

/// Adds all copied commands of the lane, which need not wait for each other, but those that others of them wait for.
void CommandBuffer::addCopied(Command& command) const {
  std::vector<bool> isImplied(copied_);
  for (std::uint32_t i = 0; i < copied_; ++i)
    if (commands_[i].lane == command.lane)
      for (const std::uint32_t predecessor : commands_[i].after)
        isImplied[predecessor] = true;
  for (std::uint32_t i = 0; i < copied_; ++i)
    if (commands_[i].lane == command.lane && !isImplied[i]) command.after.push_back(i);
}

/// The last of the commands of a lane in order waits for the others, so that it stands for them.
void CommandBuffer::dropImplied(std::vector<std::uint32_t>& after) const {
  std::sort(after.begin(), after.end(), std::greater<>());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  std::vector<std::uint32_t> lanesSeen, needed;
  for (const std::uint32_t each : after) {
    const std::uint32_t lane = commands_[each].lane;
    const bool isOfChain = queues_[lane]->isInOrder() && each >= chainOfLane_[lane];
    if (isOfChain && std::find(lanesSeen.begin(), lanesSeen.end(), lane) != lanesSeen.end()) continue;
    lanesSeen.push_back(lane);
    needed.push_back(each);
  }
  after = std::move(needed);
}

void CommandBuffer::finalize() {
  MutexLock lock(mutex_);
  check(!isFinalized_, CL_INVALID_OPERATION, "the command buffer is finalized");
  makeRecording();
  isFinalized_ = true;
}

void CommandBuffer::makeRecording() {
  std::vector<RecordedPlace> places(commands_.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = {commands_[i].lane, commands_[i].after};
  auto plan = std::make_shared<const SequencePlan>(places);
  std::vector<Ref<RecordedCommand>> ordered(places.size());
  for (std::uint32_t i = 0; i < places.size(); ++i)
    ordered[plan->positionOf(i)] = commands_[i].command;
  recording_ = Ref<Recording>::adopt(new Recording(plan, std::move(ordered)));
  replays_ = Ref<ReplayPool>::adopt(new ReplayPool(std::move(plan)));
}

// --- Running ---

Ref<Event> CommandBuffer::enqueue(std::span<const Ref<Queue>> queues, WaitList deps, bool isWanted) {
  clotho::Command work;
  Captures* const captures = Process::get().captures();
  bool isCaptured = false;
  {
    MutexLock lock(mutex_);
    check(isFinalized_ && !lacksArguments(), CL_INVALID_OPERATION, "the command buffer is not executable");
    takeNewVersions();
    isCaptured = captures && hasCaptures(*captures);
    if (!isCaptured) work = workFor(queues);
  }
  if (isCaptured) [[unlikely]]
    return enqueueCaptured(queues, deps, isWanted, *captures);
  if (queues.size() == 1) return queues.front()->submit(CL_COMMAND_COMMAND_BUFFER_KHR, std::move(work), deps, isWanted);

  // It has its place in the first queue. What is earlier in the others comes before it and what is later behind it by
  // markers, of which all but the last are earlier in their queues than what waits for them.
  std::vector<Ref<Event>> earlier;
  std::vector<Event*> all(deps.begin(), deps.end());
  bool isTimed = true;
  for (const Ref<Queue>& queue : queues) {
    isTimed = isTimed && (queue->properties() & CL_QUEUE_PROFILING_ENABLE) != 0;
    if (queue == queues.front()) continue;
    earlier.push_back(queue->submit(CL_COMMAND_MARKER, Nothing{}, {}));
    all.push_back(earlier.back().get());
  }
  Ref<Event> event = queues.front()->submit(CL_COMMAND_COMMAND_BUFFER_KHR, std::move(work), all);
  event->setOfSeveralQueues(isTimed);
  Event* const whole = event.get();
  for (const Ref<Queue>& queue : queues)
    if (queue != queues.front()) queue->submit(CL_COMMAND_MARKER, Nothing{}, {&whole, 1}, /*isWanted=*/false);
  return event;
}

clotho::Command CommandBuffer::workFor(std::span<const Ref<Queue>> queues) {
  const std::vector<SequencePlan::Step>& steps = recording_->plan()->steps();
  if (steps.empty()) return Nothing{};
  if (queues.size() == 1 && steps.size() == 1)
    return Sequence{.owner = recording_, .commands = recording_->commands(), .prepared = steps.front().prepared.get()};
  std::vector<ReplayLane> lanes;
  lanes.reserve(queues.size());
  for (const Ref<Queue>& queue : queues)
    lanes.push_back({&queue->deviceQueue(), queue->home(), queue});
  Ref<Replay> replay = replays_->take();
  replay->prepare(recording_, std::move(lanes), context().homes().count() > 1);
  Replay* const nodes = replay.get();
  return Sequence{std::move(replay), recording_->commands(), 0, nodes};
}

void CommandBuffer::takeNewVersions() {
  std::vector<std::pair<std::uint32_t, Ref<RecordedCommand>>> changes;
  for (const std::uint32_t number : versioned_) {
    const Command& command = commands_[number];
    const auto* launch = std::get_if<Launch>(&command.command->command());
    if (!launch) continue; // of no work-items
    const NDRange& range = command.dispatch->range;
    const Queue& queue = *queues_[command.lane];
    const Kernel& kernel = *command.dispatch->state;
    const DeviceKernel& general = *kernel.codeFor(queue.device());
    if (kernel.codeForLaunch(queue.device(), queue.home(), general, range, launch->args, /*mayTry=*/false).kernel ==
        launch->kernel)
      continue;
    changes.emplace_back(number, Ref<RecordedCommand>::adopt(new RecordedCommand(
                                     kernel.launch(queue.device(), queue.home(), general, range, /*mayTry=*/false))));
  }
  if (!changes.empty()) replaceCommands(changes);
}

// --- Updates ---

void CommandBuffer::replaceCommands(std::span<const std::pair<std::uint32_t, Ref<RecordedCommand>>> changes) {
  std::vector<Ref<RecordedCommand>> ordered = recording_->commands();
  for (const auto& [number, command] : changes)
    ordered[recording_->plan()->positionOf(number)] = command;
  recording_ = Ref<Recording>::adopt(new Recording(recording_->plan(), std::move(ordered)));
  for (const auto& [number, command] : changes) {
    recording_->plan()->forgetPrepared(number);
    commands_[number].command = command;
  }
}

CommandBuffer::Command CommandBuffer::commandOf(const MutableCommand& command) const {
  MutexLock lock(mutex_);
  check(command.number() < commands_.size() && commands_[command.number()].handle.get() == &command,
        CL_INVALID_MUTABLE_COMMAND_KHR, "the command is not one of this command buffer");
  return commands_[command.number()];
}

std::vector<CommandBuffer::Command> CommandBuffer::commands() const {
  MutexLock lock(mutex_);
  return commands_;
}

void CommandBuffer::update(std::span<Update> updates) {
  MutexLock lock(mutex_);
  std::vector<std::pair<std::uint32_t, Ref<RecordedCommand>>> changes;
  changes.reserve(updates.size());
  for (const Update& update : updates)
    changes.emplace_back(update.number, update.command);
  std::vector<Ref<RecordedCommand>> before;
  before.reserve(updates.size());
  for (const Update& update : updates)
    before.push_back(commands_[update.number].command);
  replaceCommands(changes);
  for (std::size_t i = 0; i < updates.size(); ++i) {
    commands_[updates[i].number].dispatch = std::move(updates[i].dispatch);
    if (!before[i] && updates[i].command) --incomplete_;
  }
}

// --- Copies ---

void CommandBuffer::adopt(std::vector<Command> commands, bool isFinalized) {
  MutexLock lock(mutex_);
  commands_ = std::move(commands);
  copied_ = static_cast<std::uint32_t>(commands_.size());
  isAwaited_.resize(commands_.size());
  for (std::uint32_t i = 0; i < commands_.size(); ++i) {
    Command& command = commands_[i];
    command.handle = nullptr;
    if (!command.command) ++incomplete_;
    if (command.dispatch && command.dispatch->state->hasVersions()) versioned_.push_back(i);
    lastOfLane_[command.lane] = chainOfLane_[command.lane] = i;
    if (command.type == CL_COMMAND_BARRIER) barrier_ = i;
    for (const std::uint32_t predecessor : command.after)
      isAwaited_[predecessor] = true;
  }
  if (isFinalized) makeRecording();
  isFinalized_ = isFinalized;
}

cl_mutable_command_khr CommandBuffer::handleOf(std::uint32_t number) {
  MutexLock lock(mutex_);
  Command& command = commands_[number];
  if (!command.handle) command.handle = make<MutableCommand>(*this, number);
  return command.handle.get();
}

} // namespace clotho
