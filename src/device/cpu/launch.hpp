// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/executor.hpp"
#include "device/cpu/guarded_call.hpp"
#include "device/cpu/task.hpp"

#include <cstdint>
#include <memory>

namespace clotho {
class PreparedCommand;
struct Launch;
} // namespace clotho

/// Kernel launches.
namespace clotho::cpu {

/// How a launch is cut into units of one or more work-groups, and what memory its threads take; sets the task's
/// numbers. Fails the task if its work-groups take more than there is.
void planLaunch(const Launch& launch, std::uint32_t workers, Task& task) noexcept;

/// Tells the context's callback and the log why the launch has failed without a fault.
void reportLack(const Launch& launch, const Task& task, const char* why) noexcept;

/// The work-groups of units [first, end). A trap or a lack of memory fails the task; `onFault` is told of the first
/// trap, with the linear index of its work-group, or the first index and the number of those that ran as one.
using FaultReport = void (*)(Node& node, const Launch& launch, const Fault& fault, std::uint64_t group,
                             std::uint64_t count) noexcept;
void runLaunch(const Launch& launch, Task& task, Executor& executor, std::uint64_t first, std::uint64_t end,
               FaultReport onFault) noexcept;

/// For a launch that is run again and again and for which one thread suffices: what `planLaunch` and `runLaunch` work
/// out for it each time. Null where that differs from run to run.
std::unique_ptr<const PreparedCommand> prepareShortLaunch(const Launch& launch, const Task& planned) noexcept;

/// Runs all of such a launch on this thread, as part of `task`, which it may fail. False, and nothing has run, when it
/// takes too long for one thread by now, or more of a stack of the application's than the task was taken for. `now`:
/// the ticks when the work before ended, and when this one has. Callers finish stores (device/cpu/transfer.hpp).
bool runShortLaunch(const Launch& launch, const PreparedCommand& prepared, Task& task, Executor& executor,
                    std::uint64_t& now, FaultReport onFault) noexcept;

} // namespace clotho::cpu
