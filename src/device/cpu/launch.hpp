// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/executor.hpp"
#include "device/cpu/guarded_call.hpp"
#include "device/cpu/task.hpp"

#include <string>

namespace clotho {
struct Launch;
}

/// Kernel launches.
namespace clotho::cpu {

/// How a launch is cut into units of one or more work-groups, and what memory its threads take; sets the task's
/// numbers. Fails the task if its work-groups take more than there is.
void planLaunch(const Launch& launch, std::uint32_t workers, Task& task) noexcept;

/// The work-groups of units [first, end). A trap or a lack of memory fails the task; `onFault` is told of the first
/// trap, with the linear index of its work-group, or the first index and the number of those that ran as one.
using FaultReport = void (*)(Node& node, const Launch& launch, const Fault& fault, std::uint64_t group,
                             std::uint64_t count) noexcept;
void runLaunch(const Launch& launch, Task& task, Executor& executor, std::uint64_t first, std::uint64_t end,
               FaultReport onFault) noexcept;

/// A sentence for the log and the context's callback.
std::string describeFault(const Launch& launch, const Fault& fault, std::uint64_t group, std::uint64_t count);

} // namespace clotho::cpu
