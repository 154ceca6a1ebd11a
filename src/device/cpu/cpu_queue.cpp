// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/cpu_queue.hpp"

#include "base/options.hpp"
#include "command/node.hpp"
#include "command/traced.hpp"
#include "device/cpu/checks.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/cpu/enqueued.hpp"
#include "device/cpu/fault_text.hpp"
#include "device/cpu/launch.hpp"
#include "device/cpu/program_loader.hpp"
#include "device/cpu/transfer.hpp"
#include "device/cpu/worker_pool.hpp"

#include <memory>
#include <new>
#include <utility>

namespace clotho::cpu {

namespace {

static_assert(sizeof(Task) <= Node::kDeviceStateSize && alignof(Task) <= alignof(Node::DeviceState),
              "tasks lie in their commands' nodes");

CpuQueue& queueOf(const Task& task) { return *static_cast<CpuQueue*>(task.node->deviceQueue()); }

CpuDevice& deviceOf(const Task& task) { return queueOf(task).device(); }

/// The command of a task: the node's, or the one at which its sequence stands.
const Command& commandOf(const Task& task) {
  const Command& command = task.node->command();
  const auto* sequence = std::get_if<Sequence>(&command);
  return sequence ? sequence->commands[sequence->next]->command() : command;
}

template <class T> const T& commandOf(const Task& task) { return *std::get_if<T>(&commandOf(task)); }

/// Whether the node's command, and not a part of it, is run by one thread up to its end, so that the record of its end
/// stands for the thread's part. Kernels that others have enqueued, and steps of command buffers, have no such record.
bool runsHere(const Task& task) {
  return !trace::wantsCounters() && task.whole && !task.enqueuer && task.node->traceId().queue != 0 &&
         !std::holds_alternative<Sequence>(task.node->command());
}

void beginTask(Task& task) noexcept {
  if (trace::isOn() && runsHere(task)) task.node->setRunsHere();
  task.node->begin();
}

void traceShare(Task& task, const trace::PartBegin& begin, std::uint32_t chunks) noexcept {
  trace::endPart(begin, traceName(commandOf(task)), chunks);
}

/// The work of a chunk. What one thread runs of a command that ends later has a record of its own in a trace.
template <class Work> void runTraced(const Task& task, Work&& work) noexcept {
  if (!trace::isOn() || !task.whole || runsHere(task)) return work();
  const TracedPart traced(commandOf(task));
  work();
}

void finishTask(Task& task) noexcept {
  const cl_int status = task.status.load(std::memory_order_relaxed);
  if (auto* sequence = std::get_if<Sequence>(&task.node->command()); sequence && status >= 0)
    return queueOf(task).startNext(*task.node, *sequence);
  queueOf(task).complete(*task.node, status);
}

/// Ends a task that was one command of its sequence: the sequence goes on with the next one.
void finishCommand(Task& task) noexcept {
  if (auto* sequence = std::get_if<Sequence>(&task.node->command())) ++sequence->next;
  finishTask(task);
}

void reportFault(Node& node, const Launch& launch, const Fault& fault, std::uint64_t group,
                 std::uint64_t count) noexcept {
  static_cast<CpuQueue*>(node.deviceQueue())->device().noteFault();
  try {
    const LogLevel level = static_cast<const CpuKernel&>(*launch.kernel).failureLevel();
    node.report(describeFault(node, launch, fault, group, count), level);
  } catch (const std::bad_alloc&) {
    // The command's status tells it all the same.
  }
}

/// Reports the faults of a checked launch.
void finishChecks(Task& task) noexcept {
  const std::unique_ptr<LaunchChecks> checks(std::exchange(task.printf->checks, nullptr));
  if (checks && checks->finish(*task.node) && options().checkFails) task.fail(CL_OUT_OF_RESOURCES);
}

void finishLaunch(Task& task) noexcept {
  if (task.isMeasured && task.status.load(std::memory_order_relaxed) >= 0) {
    const auto& launch = commandOf<Launch>(task);
    // The last of its rows may be padded.
    const double items = launch.range.rowItems != 0 ? static_cast<double>(launch.range.rowItems) : launch.range.items();
    static_cast<const CpuKernel&>(*launch.kernel)
        .addSample(task.spent.load(std::memory_order_relaxed) * Task::kSpentUnit, items);
  }
  if (task.printf) {
    finishChecks(task);
    const LoadedProgram& program = static_cast<const CpuKernel&>(*commandOf<Launch>(task).kernel).program();
    deviceOf(task).printfArenas().printAndRelease(*task.printf, program.printfFormats(), program.strings(), *task.node);
  }
  if (task.privateBytes) CpuQueue::giveBack(deviceOf(task), task.privateBytes);
  if (task.enqueuer)
    task.enqueuer->finish(*task.node, task.status.load(std::memory_order_relaxed));
  else
    finishCommand(task);
}

constexpr TaskOps kLaunchOps = {
    beginTask,
    [](Task& task, Executor& executor, std::uint64_t first, std::uint64_t end) noexcept {
      runTraced(task, [&] { runLaunch(commandOf<Launch>(task), task, executor, first, end, reportFault); });
    },
    finishLaunch, traceShare};

constexpr TaskOps kCopyOps = {beginTask,
                              [](Task& task, Executor&, std::uint64_t first, std::uint64_t end) noexcept {
                                runTraced(task, [&] { runCopy(commandOf<Copy>(task), task, first, end); });
                              },
                              finishCommand, traceShare};

constexpr TaskOps kFillOps = {beginTask,
                              [](Task& task, Executor&, std::uint64_t first, std::uint64_t end) noexcept {
                                runTraced(task, [&] { runFill(commandOf<Fill>(task), task, first, end); });
                              },
                              finishCommand, traceShare};

/// The operations of a barrier in a sequence, which has nothing to run.
constexpr TaskOps kNothingOps = {beginTask, [](Task&, Executor&, std::uint64_t, std::uint64_t) noexcept {},
                                 finishCommand};

const TaskOps& opsOf(const Command& command) {
  if (std::holds_alternative<Launch>(command)) return kLaunchOps;
  if (std::holds_alternative<Copy>(command)) return kCopyOps;
  return std::holds_alternative<Fill>(command) ? kFillOps : kNothingOps;
}

/// Kernels that take more of the stack than this are left to workers, which have one that is guarded.
constexpr std::uint64_t kMostOfHostStack = std::uint64_t{64} << 10;

/// Task::hostStack
std::uint32_t hostStackOf(const Command& command, const PrivateBudget& budget) {
  if (!options().helps) return Task::kNotOnHosts;
  const auto* launch = std::get_if<Launch>(&command);
  if (!launch) return 0;
  // Nor does it take the memory that large work-groups do.
  const auto& kernel = static_cast<const CpuKernel&>(*launch->kernel);
  if (kernel.privateBytesOfRows(launch->range.local) > budget.share()) return Task::kNotOnHosts;
  const std::uint64_t bytes = kernel.facts().stackBytes;
  return bytes == 0 || bytes > kMostOfHostStack ? Task::kNotOnHosts : static_cast<std::uint32_t>(bytes);
}

bool printsOf(const Command& command) {
  const auto* launch = std::get_if<Launch>(&command);
  return launch && static_cast<const CpuKernel&>(*launch->kernel).facts().usesPrintf;
}

bool isChecked(const Command& command) {
  const auto* launch = std::get_if<Launch>(&command);
  return launch && static_cast<const CpuKernel&>(*launch->kernel).facts().checkSites != 0;
}

bool enqueuesOf(const Command& command) {
  const auto* launch = std::get_if<Launch>(&command);
  return launch && launch->kernel->info().enqueues;
}

/// Sets the task's numbers.
void plan(const Command& command, std::uint32_t workers, Task& task) noexcept {
  if (const auto* launch = std::get_if<Launch>(&command))
    planLaunch(*launch, workers, task);
  else if (const auto* copy = std::get_if<Copy>(&command))
    planCopy(*copy, workers, task);
  else if (const auto* fill = std::get_if<Fill>(&command))
    planFill(*fill, workers, task);
  task.hostStack = hostStackOf(command, deviceOf(task).privateBudget());
}

// --- Sequences ---

/// Commands that one task runs at most, so that others of the pool have their turn.
constexpr unsigned kMostInBatch = 64;

/// Whether a command can be run by the thread that has run those before it in its sequence.
bool isOfBatch(const Task& task, const Command& command) {
  return task.whole && task.privateBytes == 0 && !printsOf(command) && !isChecked(command) && !enqueuesOf(command);
}

/// Runs the command at which a sequence stands as part of the task. False when it is left to a task of its own.
bool runPart(Task& task, const RecordedCommand& recorded, bool isFirst, Executor& executor, std::uint64_t& now) {
  const Command& command = recorded.command();
  const auto* launch = std::get_if<Launch>(&command);
  const PreparedCommand* prepared = launch ? recorded.prepared() : nullptr;
  if (prepared) {
    TracedPart traced(command);
    if (runShortLaunch(*launch, *prepared, task, executor, now, reportFault)) return true;
    traced.drop(); // it runs below, or as a task of its own
  }
  Task part(opsOf(command), task.node);
  plan(command, queueOf(task).workers(), part);
  if (!isFirst && (!isOfBatch(part, command) || part.hostStack > task.hostStack)) return false;
  if (!part.stopped.load(std::memory_order_relaxed)) part.ops->run(part, executor, 0, part.units);
  if (const cl_int status = part.status.load(std::memory_order_relaxed); status < 0)
    task.fail(status);
  else if (launch && !prepared && isOfBatch(part, command))
    if (auto fresh = prepareShortLaunch(*launch, part)) recorded.prepare(std::move(fresh));
  now = ticks();
  return true;
}

/// Runs what is short of a sequence, command by command, on this thread: such commands cost neither a task of their own
/// nor the graph. One that other threads should take part in is left to a task of its own, and so is one that takes
/// more of the application's stack than the first, for which the thread was chosen.
void runBatch(Task& task, Executor& executor, std::uint64_t, std::uint64_t) noexcept {
  auto& sequence = *std::get_if<Sequence>(&task.node->command());
  std::uint64_t now = ticks();
  for (unsigned ran = 0; ran < kMostInBatch && sequence.next < sequence.commands.size(); ++ran, ++sequence.next)
    if (!runPart(task, *sequence.commands[sequence.next], ran == 0, executor, now) || task.stopped) break;
  finishStores(); // kernels may have stored past the caches
}

constexpr TaskOps kBatchOps = {beginTask, runBatch, finishTask};

} // namespace

WorkerPool& CpuQueue::pool() const noexcept { return share_ ? share_->poolToStartOn() : device_.pool(); }

std::uint32_t CpuQueue::workers() const noexcept { return pool().workers(); }

void CpuQueue::start(Node& node) noexcept {
  if (auto* sequence = std::get_if<Sequence>(&node.command())) {
    // Barriers at its beginning take no stack, by which the thread is chosen.
    while (sequence->next + 1 < sequence->commands.size() &&
           std::holds_alternative<Nothing>(sequence->commands[sequence->next]->command()))
      ++sequence->next;
  }
  WorkerPool& pool = this->pool();
  Task& task = *new (node.deviceState()) Task(kNothingOps, &node);
  const Command& command = commandOf(task);
  task.ops = &opsOf(command);
  const bool prints = printsOf(command) || isChecked(command);
  if (prints) task.printf = device_.printfArenas().acquire();
  bool hasAll = !prints || task.printf;
  if (enqueuesOf(command)) {
    try {
      task.enqueuer = &enqueuerOf(node, *std::get_if<Launch>(&command), device_);
    } catch (const std::bad_alloc&) {
      hasAll = false;
    }
  }
  if (task.printf && isChecked(command)) {
    try {
      task.printf->checks = new LaunchChecks(*std::get_if<Launch>(&command), node.home());
    } catch (const std::bad_alloc&) {
      hasAll = false;
    }
  }
  // A task that has failed already stays whole: one that is shared is left to participants, and it would have none.
  if (!hasAll) {
    task.hostStack = hostStackOf(command, device_.privateBudget());
    if (task.fail(CL_OUT_OF_RESOURCES))
      reportLack(*std::get_if<Launch>(&command), task, "no memory for what it prints, enqueues or reports");
  } else {
    plan(command, pool.workers(), task);
  }
  if (std::holds_alternative<Sequence>(node.command()) && isOfBatch(task, command)) task.ops = &kBatchOps;
  if (task.privateBytes && !device_.privateBudget().admit(task)) return; // until another gives back
  pool.start(task);
}

void CpuQueue::endLaunch(Node& node, cl_int status) noexcept {
  auto* sequence = std::get_if<Sequence>(&node.command());
  CpuQueue& queue = *static_cast<CpuQueue*>(node.deviceQueue());
  if (!sequence || status < 0) return queue.complete(node, status);
  ++sequence->next;
  queue.startNext(node, *sequence);
}

void CpuQueue::startNext(Node& node, Sequence& sequence) noexcept {
  if (sequence.next < sequence.commands.size())
    start(node);
  else
    complete(node, CL_COMPLETE);
}

void CpuQueue::complete(Node& node, cl_int status) noexcept { node.complete(status); }

void CpuQueue::giveBack(CpuDevice& device, std::uint64_t privateBytes) noexcept {
  for (Task* task = device.privateBudget().giveBack(privateBytes); task;) {
    Task* const next = task->next; // one that has been started may be gone
    static_cast<CpuQueue*>(task->node->deviceQueue())->pool().start(*task);
    task = next;
  }
}

} // namespace clotho::cpu
