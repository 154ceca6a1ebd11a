// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/joint/joint_queue.hpp"

#include "device/arg_block.hpp"
#include "device/joint/joint_device.hpp"
#include "device/joint/joint_kernel.hpp"
#include "device/joint/joint_run.hpp"
#include "device/joint/part_plan.hpp"

#include <cstring>
#include <new>
#include <utility>

namespace clotho::joint {

namespace {

const JointKernel& kernelOf(const Launch& launch) { return static_cast<const JointKernel&>(*launch.kernel); }

std::uint64_t valueOf(const PartArgument& argument, const NDRange& whole,
                      const std::array<std::uint64_t, 3>& firstGroups) {
  const std::uint32_t dimension = argument.dimension;
  switch (argument.kind) {
  case PartArgument::Kind::FirstGroup: return firstGroups[dimension];
  case PartArgument::Kind::NumGroups: return whole.groups(static_cast<int>(dimension));
  case PartArgument::Kind::GlobalSize: return whole.global[dimension];
  default: return whole.offset[dimension];
  }
}

/// Arguments with what the kernel is to see of the whole launch behind them.
ArgSnapshot copyOf(const ArgSnapshot& args, const JointKernel& kernel, const NDRange& whole,
                   const std::array<std::uint64_t, 3>& firstGroups) {
  const std::vector<PartArgument>& more = kernel.footprint().partArguments;
  const ArgBlock from = argBlockOf(kernel.info(), 0), to = argBlockOf(kernel.info(), more.size());
  ArgSnapshot result = args.copy(from.partArguments, to.bytes);
  for (std::size_t i = 0; i < more.size(); ++i) {
    const std::uint64_t value = valueOf(more[i], whole, firstGroups);
    std::memcpy(result.block() + to.partArguments + i * sizeof value, &value, sizeof value);
  }
  std::memcpy(result.block() + to.localSizes, args.block() + from.localSizes, to.bytes - to.localSizes);
  return result;
}

} // namespace

// --- Runs ---

void Run::partRan(std::uint64_t started, std::uint64_t ended) noexcept {
  std::uint64_t known = started_.load(std::memory_order_relaxed);
  while (started < known && !started_.compare_exchange_weak(known, started, std::memory_order_relaxed)) {
  }
  known = ended_.load(std::memory_order_relaxed);
  while (ended > known && !ended_.compare_exchange_weak(known, ended, std::memory_order_relaxed)) {
  }
}

void Run::noteTime(const Part& part) noexcept {
  PartTime* times = moreTimes_ ? moreTimes_.get() : fewTimes_.data();
  times[timed_.fetch_add(1, std::memory_order_relaxed)] = {part.member(), part.items(), part.ns()};
}

void Run::partEnded(const Part& part, cl_int status, WorkList& list) noexcept {
  if (status < 0) fail(status);
  if (kernel_) noteTime(part);
  if (isWhole_) queue_.device_.endWhole(part.member());
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::uint32_t count = timed_.exchange(0, std::memory_order_relaxed);
  const std::unique_ptr<PartTime[]> more = std::move(moreTimes_);
  if (kernel_ && failure_.load(std::memory_order_relaxed) >= 0)
    kernel_->noteTimes({more ? more.get() : fewTimes_.data(), count});
  const JointDevice& device = queue_.device_; // also when this has ended
  if (advance()) {
    if (start(list)) return;
  } else {
    end(list);
  }
  device.startNext(list);
}

bool Run::advance() noexcept {
  auto* sequence = std::get_if<Sequence>(&node_.command());
  return sequence && failure_.load(std::memory_order_relaxed) >= 0 && ++sequence->next < sequence->commands.size();
}

bool Run::start(WorkList& list) noexcept {
  do {
    const auto* sequence = std::get_if<Sequence>(&node_.command());
    if (queue_.startCommand(*this, sequence ? sequence->commands[sequence->next]->command() : node_.command(), list))
      return true;
  } while (advance());
  end(list);
  return false;
}

void Run::end(WorkList& list) noexcept {
  const cl_int failure = failure_.load(std::memory_order_relaxed);
  Node& node = node_;
  node.begin(); // unless a part has
  if (const std::uint64_t ended = ended_.load(std::memory_order_relaxed); ended != 0 && !endsLater_)
    node.setTimes(started_.load(std::memory_order_relaxed), ended);
  node.complete(failure < 0 ? failure : CL_COMPLETE, list);
}

// --- The queue ---

JointQueue::JointQueue(const JointDevice& device, const QueueTraits& traits) : device_(device) {
  // Parts of an in-order queue's commands are in order, since the next command starts when all have ended.
  const QueueTraits ofParts{.isInOrder = false, .isTimed = traits.isTimed};
  for (const Member& member : device.members())
    queues_.push_back(member.share ? member.share->makeQueue(ofParts) : member.device->makeQueue(ofParts));
  copies_ = device.host().makeQueue(ofParts);
}

void JointQueue::start(Node& node, WorkList& ready) noexcept {
  Run& run = *new (node.deviceState()) Run(*this, node);
  const JointDevice& device = device_; // also when the queue has ended with its last command
  if (device.mayStart(run) && !run.start(ready)) device.startNext(ready);
}

bool JointQueue::startCommand(Run& run, const Command& command, WorkList& ready) noexcept {
  try {
    if (!device_.isAvailable()) {
      run.fail(CL_OUT_OF_RESOURCES);
      return false;
    }
    if (const auto* launch = std::get_if<Launch>(&command)) {
      startLaunch(run, *launch, ready);
      return true;
    }
    Command work = Nothing{};
    if (const auto* copy = std::get_if<Copy>(&command))
      work = *copy;
    else if (const auto* fill = std::get_if<Fill>(&command))
      work = *fill;
    else if (const auto* map = std::get_if<Map>(&command))
      work = Migrate{.operands = {map->operand}};
    else if (const auto* migrate = std::get_if<Migrate>(&command))
      work = Migrate{.operands = migrate->operands};
    else
      return startNothing(command);
    Ref<Part> part = Ref<Part>::adopt(new Part(run, *copies_, std::move(work), 0, 0));
    if (run.node().isTracked()) part->setHome(run.node().home());
    run.expect(1, nullptr);
    part.detach()->arm(ready); // the reference is the node's own until it is done
    return true;
  } catch (const std::bad_alloc&) {
    run.fail(CL_OUT_OF_HOST_MEMORY);
    return false;
  }
}

// A barrier has nothing to do, since commands of a sequence run one after the other.
bool JointQueue::startNothing(const Command& command) {
  if (const auto* unmap = std::get_if<Unmap>(&command); unmap && unmap->memory)
    unmap->memory->storage().noteWritten(kHostHome, unmap->written);
  return false;
}

HomeId JointQueue::homeOf(std::size_t member, const Launch& launch, const Node& node) const {
  const std::size_t memory = device_.members()[member].memory;
  return memory == Member::kHost || launch.placed.empty() ? node.home() : launch.placed[memory].home;
}

Command JointQueue::launchOn(std::size_t member, const Launch& launch, const JointKernel& kernel, const NDRange& range,
                             const std::array<std::uint64_t, 3>& firstGroups) const {
  const std::size_t memory = device_.members()[member].memory;
  const bool isPlaced = memory != Member::kHost && !launch.placed.empty();
  const ArgSnapshot& args = isPlaced ? launch.placed[memory].args : launch.args;
  Command command = Nothing{};
  Launch& part = command.emplace<Launch>();
  part.args = copyOf(args, kernel, launch.range, firstGroups);
  part.kernel = kernel.of(member);
  part.program = nullptr; // kept by the launch
  part.range = range;
  if (launch.queues) part.queues = std::make_unique<LaunchQueues>(*launch.queues);
  part.zeroesLocal = launch.zeroesLocal;
  part.kernel->toCode(part.range, part.args.block());
  return command;
}

void JointQueue::startLaunch(Run& run, const Launch& launch, WorkList& ready) {
  const JointKernel& kernel = kernelOf(launch);
  auto plan = planParts(launch, run.node().home(), kernel.shares());
  kernel.tellParts(plan ? plan->size() : 1, plan ? plan->front().dimension : 0);
  if (plan)
    startParts(run, launch, kernel, std::move(*plan), ready);
  else
    startWhole(run, launch, kernel, ready);
}

void JointQueue::startWhole(Run& run, const Launch& launch, const JointKernel& kernel, WorkList& ready) {
  const std::size_t member = device_.memberForWhole();
  Ref<Part> part =
      Ref<Part>::adopt(new Part(run, *queues_[member], launchOn(member, launch, kernel, launch.range, {}), member, 0));
  if (run.node().isTracked()) part->setHome(homeOf(member, launch, run.node()));
  device_.beginWhole(member);
  run.expectWhole();
  part.detach()->arm(ready);
}

// All parts exist before the first is armed, so that memory is not lacking in between.
void JointQueue::startParts(Run& run, const Launch& launch, const JointKernel& kernel, std::vector<PartPlan> plan,
                            WorkList& ready) {
  std::vector<Ref<Part>> parts;
  parts.reserve(plan.size());
  for (PartPlan& each : plan) {
    Command work = launchOn(each.member, launch, kernel, each.range, each.firstGroups);
    std::get_if<Launch>(&work)->uses = std::move(each.uses);
    parts.push_back(
        Ref<Part>::adopt(new Part(run, *queues_[each.member], std::move(work), each.member, each.range.items())));
    if (run.node().isTracked()) parts.back()->setHome(homeOf(each.member, launch, run.node()));
  }
  run.expect(static_cast<std::uint32_t>(parts.size()), &kernel);
  for (Ref<Part>& part : parts)
    part.detach()->arm(ready);
}

} // namespace clotho::joint
