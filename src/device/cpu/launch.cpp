// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/launch.hpp"

#include "base/log.hpp"
#include "device/cpu/faults.hpp"
#include "device/cpu/printf_arena.hpp"
#include "device/cpu/program_loader.hpp"
#include "device/cpu/transfer.hpp"
#include "device/cpu/worker_pool.hpp"
#include "runtime/command.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace clotho::cpu {

namespace {

/// A launch that takes no longer than this is left to one thread: waking another takes as long.
constexpr std::uint64_t kWholeTicks = 8 * kTicksPerMicrosecond;
/// What one claim should be worth at least.
constexpr std::uint64_t kChunkTicks = 2 * kTicksPerMicrosecond;
/// What a further thread should find to do.
constexpr std::uint64_t kThreadTicks = 8 * kTicksPerMicrosecond;
/// For kernels that have never run: threads are woken for so many work-items each. More come if it takes long.
constexpr std::uint64_t kItemsPerThread = 16384;
/// The unit of CpuKernel::itemCost, in ticks: 1 / kCostScale.
constexpr std::uint64_t kCostScale = 256;

const CpuKernel& kernelOf(const Launch& launch) { return static_cast<const CpuKernel&>(*launch.kernel); }

LaunchParams paramsOf(const Launch& launch, const Task& task) {
  LaunchParams params{};
  params.args = launch.args.block();
  params.printf = task.printf ? task.printf->buffer : nullptr;
  for (int d = 0; d < 3; ++d) {
    auto i = static_cast<std::size_t>(d);
    params.globalOffset[d] = launch.range.offset[i];
    params.globalSize[d] = launch.range.global[i];
    params.localSize[d] = launch.range.local[i];
    params.numGroups[d] = launch.range.groups(d);
  }
  params.workDim = launch.range.dimensions;
  return params;
}

const char* signalText(const Fault& fault) {
  if (fault.stackOverflow) return "stack overflow";
  switch (fault.signal) {
  case SIGILL: return "illegal instruction";
  case SIGFPE: return "arithmetic trap";
  case SIGBUS: return "access to memory that its file or device does not back,";
  default: break;
  }
  switch (fault.access) {
  case Fault::Access::Read: return fault.code == SEGV_ACCERR ? "read of protected" : "read of unmapped";
  case Fault::Access::Write: return fault.code == SEGV_ACCERR ? "write to protected" : "write to unmapped";
  case Fault::Access::Execute: return "jump to data or unmapped";
  case Fault::Access::Unknown: break;
  }
  return "access to invalid";
}

} // namespace

void planLaunch(const Launch& launch, std::uint32_t workers, Task& task) noexcept {
  std::uint64_t groups = launch.range.groupCount();
  task.unitSize = (groups + WorkRanges::kMaxUnits - 1) / WorkRanges::kMaxUnits;
  if (task.unitSize == 0) task.unitSize = 1;
  task.units = static_cast<std::uint32_t>((groups + task.unitSize - 1) / task.unitSize);
  if (task.units < 2) return;

  std::uint64_t items = launch.range.groupItems(), cost = kernelOf(launch).itemCost();
  std::uint64_t threads = groups * items / kItemsPerThread;
  if (cost) {
    // Floating point: products of sizes and costs may be huge.
    double unitTicks = static_cast<double>(cost) / kCostScale * static_cast<double>(items * task.unitSize);
    double total = unitTicks * task.units;
    if (total <= kWholeTicks) return;
    double chunk = static_cast<double>(kChunkTicks) / unitTicks;
    task.leastChunk = static_cast<std::uint32_t>(std::clamp(chunk, 1.0, std::max(task.units / (4.0 * workers), 1.0)));
    threads = static_cast<std::uint64_t>(std::min(total / kThreadTicks, 1e6));
  }
  task.whole = false;
  task.parallelism =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(threads, 1, std::min<std::uint64_t>(workers, task.units)));
  task.ranges.init(task.units, std::min(task.units, workers + 1));
}

/// A work-group's work-items, or sub-groups when the kernel runs several work-items at once; rows do not share one.
std::uint64_t framesOf(const NDRange& range, std::uint32_t width) {
  return (range.local[0] + width - 1) / width * range.local[1] * range.local[2];
}

void runLaunch(const Launch& launch, Task& task, Executor& executor, std::uint64_t first, std::uint64_t end,
               FaultReport onFault) noexcept {
  const CpuKernel& kernel = kernelOf(launch);
  const KernelInfo& info = kernel.info();
  std::uint64_t items = launch.range.groupItems();
  std::uint64_t firstGroup = first * task.unitSize;
  std::uint64_t endGroup = std::min(end * task.unitSize, launch.range.groupCount());
  if (firstGroup >= endGroup) return;

  installFaultHandlers();
  WorkerContext context{};
  std::uint64_t frameBytes = info.frameBytesPerItem * framesOf(launch.range, info.subGroupSize);
  context.local = executor.local.reserve(launch.args.localBytes);
  context.frame = executor.frame.reserve(frameBytes);
  context.currentGroup = firstGroup;
  bool lacksMemory = (!context.local && launch.args.localBytes) || (!context.frame && info.frameBytesPerItem);
  if (lacksMemory || !executor.hasStack()) {
    CLOTHO_LOG(Device, Error, "kernel '%s': no memory for its stack, local memory or private data", info.name.c_str());
    task.fail(CL_OUT_OF_RESOURCES);
    return;
  }
  // Without memory to begin at, null is their end, too.
  context.localEnd = context.local ? context.local + launch.args.localBytes : nullptr;
  context.frameEnd = context.frame ? context.frame + frameBytes : nullptr;
  context.stackBegin = executor.stack().bottom();
  context.stackEnd = executor.stack().top();
  LaunchParams params = paramsOf(launch, task);
  std::uint64_t begin = ticks();
  Fault fault = guardedCall(executor, kernel.function(), &params, &context, firstGroup, endGroup);
  std::uint64_t spent = ticks() - begin;
  finishStores(); // kernels may have stored past the caches
  if (fault) {
    if (task.fail(CL_OUT_OF_RESOURCES)) onFault(*task.event, fault, context.currentGroup);
    return;
  }
  kernel.learnCost(spent * kCostScale / std::max<std::uint64_t>((endGroup - firstGroup) * items, 1));
}

std::string describeFault(const Launch& launch, const Fault& fault, std::uint64_t group) {
  std::uint64_t x = launch.range.groups(0), y = launch.range.groups(1);
  char text[256];
  int size = std::snprintf(text, sizeof text, "', work-group (%llu, %llu, %llu): %s",
                           static_cast<unsigned long long>(group % x), static_cast<unsigned long long>(group / x % y),
                           static_cast<unsigned long long>(group / x / y), signalText(fault));
  bool hasAddress = (fault.signal == SIGSEGV || fault.signal == SIGBUS) && !fault.stackOverflow;
  auto used = static_cast<std::size_t>(std::clamp(size, 0, static_cast<int>(sizeof text) - 1));
  // An address that is none (not canonical) is not told by the processor.
  if (hasAddress && fault.access != Fault::Access::Unknown)
    std::snprintf(text + used, sizeof text - used, " address 0x%llx", static_cast<unsigned long long>(fault.address));
  else if (hasAddress)
    std::snprintf(text + used, sizeof text - used, " address");
  return "kernel '" + launch.kernel->info().name + text;
}

} // namespace clotho::cpu
