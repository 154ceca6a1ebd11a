// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/cpu_queue.hpp"

#include "base/options.hpp"
#include "command/node.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/cpu/enqueued.hpp"
#include "device/cpu/launch.hpp"
#include "device/cpu/program_loader.hpp"
#include "device/cpu/transfer.hpp"

#include <new>
#include <string>

namespace clotho::cpu {

namespace {

static_assert(sizeof(Task) <= Node::kDeviceStateSize && alignof(Task) <= alignof(Node::DeviceState),
              "tasks lie in their commands' nodes");

CpuDevice& deviceOf(const Task& task) { return static_cast<CpuQueue*>(task.node->deviceQueue())->device(); }

template <class T> const T& commandOf(const Task& task) { return *std::get_if<T>(&task.node->command()); }

void beginTask(Task& task) noexcept { task.node->begin(); }

void finishTask(Task& task) noexcept { task.node->complete(task.status.load(std::memory_order_relaxed)); }

void reportFault(Node& node, const Fault& fault, std::uint64_t group, std::uint64_t count) noexcept {
  try {
    std::string text = describeFault(*std::get_if<Launch>(&node.command()), fault, group, count);
    node.report(std::move(text));
  } catch (const std::bad_alloc&) {
    // The command's status tells it all the same.
  }
}

void finishLaunch(Task& task) noexcept {
  if (task.printf) {
    const LoadedProgram& program = static_cast<const CpuKernel&>(*commandOf<Launch>(task).kernel).program();
    deviceOf(task).printfArenas().printAndRelease(*task.printf, program.printfFormats(), program.strings());
  }
  if (task.privateBytes) CpuQueue::giveBack(deviceOf(task), task.privateBytes);
  if (task.enqueuer)
    task.enqueuer->finish(*task.node, task.status.load(std::memory_order_relaxed));
  else
    finishTask(task);
}

constexpr TaskOps kLaunchOps = {beginTask,
                                [](Task& task, Executor& executor, std::uint64_t first, std::uint64_t end) noexcept {
                                  runLaunch(commandOf<Launch>(task), task, executor, first, end, reportFault);
                                },
                                finishLaunch};

constexpr TaskOps kCopyOps = {beginTask,
                              [](Task& task, Executor&, std::uint64_t first, std::uint64_t end) noexcept {
                                runCopy(commandOf<Copy>(task), task, first, end);
                              },
                              finishTask};

constexpr TaskOps kFillOps = {beginTask,
                              [](Task& task, Executor&, std::uint64_t first, std::uint64_t end) noexcept {
                                runFill(commandOf<Fill>(task), task, first, end);
                              },
                              finishTask};

/// Kernels that take more of the stack than this are left to workers, which have one that is guarded.
constexpr std::uint64_t kMostOfHostStack = std::uint64_t{64} << 10;

/// Task::hostStack
std::uint32_t hostStackOf(const Command& command, const PrivateBudget& budget) {
  if (!options().helps) return Task::kNotOnHosts;
  const auto* launch = std::get_if<Launch>(&command);
  if (!launch) return 0;
  // Nor does it take the memory that large work-groups do.
  const auto& kernel = static_cast<const CpuKernel&>(*launch->kernel);
  if (kernel.privateBytesOfGroup(launch->range.local) > budget.share()) return Task::kNotOnHosts;
  const std::uint64_t bytes = kernel.facts().stackBytes;
  return bytes == 0 || bytes > kMostOfHostStack ? Task::kNotOnHosts : static_cast<std::uint32_t>(bytes);
}

} // namespace

WorkerPool& CpuQueue::pool() const noexcept { return share_ ? share_->poolToStartOn() : device_.pool(); }

void CpuQueue::start(Node& node) noexcept {
  WorkerPool& pool = this->pool();
  const Command& command = node.command();
  Task* task;
  if (const auto* launch = std::get_if<Launch>(&command)) {
    task = new (node.deviceState()) Task(kLaunchOps, &node);
    bool prints = static_cast<const CpuKernel&>(*launch->kernel).facts().usesPrintf;
    if (prints) task->printf = device_.printfArenas().acquire();
    bool hasEnqueuer = true;
    try {
      task->enqueuer = enqueuerOf(node, device_);
    } catch (const std::bad_alloc&) {
      hasEnqueuer = false;
    }
    // A task that has failed already stays whole: one that is shared is left to participants, and it would have none.
    if ((prints && !task->printf) || !hasEnqueuer)
      task->fail(CL_OUT_OF_RESOURCES);
    else
      planLaunch(*launch, pool.workers(), *task);
  } else if (const auto* copy = std::get_if<Copy>(&command)) {
    task = new (node.deviceState()) Task(kCopyOps, &node);
    planCopy(*copy, pool.workers(), *task);
  } else {
    task = new (node.deviceState()) Task(kFillOps, &node);
    planFill(*std::get_if<Fill>(&command), pool.workers(), *task);
  }
  task->hostStack = hostStackOf(command, device_.privateBudget());
  if (task->privateBytes && !device_.privateBudget().admit(*task)) return; // until another gives back
  pool.start(*task);
}

void CpuQueue::giveBack(CpuDevice& device, std::uint64_t privateBytes) noexcept {
  for (Task* task = device.privateBudget().giveBack(privateBytes); task;) {
    Task* const next = task->next; // one that has been started may be gone
    static_cast<CpuQueue*>(task->node->deviceQueue())->pool().start(*task);
    task = next;
  }
}

} // namespace clotho::cpu
