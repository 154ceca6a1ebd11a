// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/launch.hpp"

#include "abi/global_ids.hpp"
#include "command/node.hpp"
#include "device/cpu/checks.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/cpu/cpu_queue.hpp"
#include "device/cpu/enqueued.hpp"
#include "device/cpu/faults.hpp"
#include "device/cpu/kept_outputs.hpp"
#include "device/cpu/printf_arena.hpp"
#include "device/cpu/private_memory.hpp"
#include "device/cpu/program_loader.hpp"
#include "device/cpu/transfer.hpp"
#include "device/cpu/worker_pool.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

namespace clotho::cpu {

namespace {

/// A launch that takes no longer than this is left to one thread: dividing it would cost as much as it gains.
constexpr std::uint64_t kWholeTicks = 4 * kTicksPerMicrosecond;
/// The least that one claim should be worth.
constexpr std::uint64_t kChunkTicks = 2 * kTicksPerMicrosecond;
/// The worth that one claim may have although much less is left.
constexpr std::uint64_t kQuickTicks = 20 * kTicksPerMicrosecond;
/// The first claim is such a part of what a thread finds to do (WorkRanges::claim), and short if it takes no longer.
constexpr std::uint64_t kClaimsPerThread = 8;
constexpr std::uint64_t kShortTicks = 1000 * kTicksPerMicrosecond;
/// Work that a further thread should find, so that it is worth waking. One that is awake takes part in any case.
constexpr std::uint64_t kThreadTicks = 8 * kTicksPerMicrosecond;
/// For kernels that have never run: threads are woken for so many work-items each. More come if it takes long.
constexpr std::uint64_t kItemsPerThread = 16384;
/// Work-groups run as one, for each thread, so that all are busy to the end.
constexpr std::uint64_t kMergedUnits = 4;
/// Memory that interleaved work-groups may keep, so that it stays in a thread's own caches beside their data. With
/// four kilobytes or more of each turn it hardly matters how many there are.
constexpr std::uint64_t kInterleavedBytes = 32 << 10; // 128 for each at least

const CpuKernel& kernelOf(const Launch& launch) { return static_cast<const CpuKernel&>(*launch.kernel); }

/// Whether what a work-group writes is pieces of several rows, which take longer past the caches than through them.
bool areGroupsPieces(const NDRange& range) {
  return (range.local[0] != range.global[0] && (range.local[1] != 1 || range.local[2] != 1)) ||
         (range.local[1] != range.global[1] && range.local[2] != 1);
}

/// Threshold for LaunchParams::nonTemporalFrom. A launch that stores as much as the cache holds has evicted its output
/// before a kernel reads it.
std::uint64_t nonTemporalFrom(const NDRange& range, std::uint64_t cacheBytes) {
  constexpr auto kNever = std::numeric_limits<std::uint64_t>::max();
  const double items = range.items();
  if (cacheBytes == 0 || items == 0 || areGroupsPieces(range)) return kNever;
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(cacheBytes * kNonTemporalUnits) / items));
}

std::uint64_t frameBytesOf(const Launch& launch) {
  const CpuKernel& kernel = kernelOf(launch);
  return contextBytes(kernel.limits(), kernel.facts(), launch.range.local);
}

CpuDevice& deviceOf(const Task& task) { return static_cast<CpuQueue*>(task.node->deviceQueue())->device(); }

PrivateBudget& budgetOf(const Task& task) { return deviceOf(task).privateBudget(); }

/// From the frame of one work-group to that of the next, where they take turns.
std::uint64_t interleavedStride(const Launch& launch) {
  constexpr std::uint64_t kAlign = 128;
  const auto align = [](std::uint64_t bytes) { return (bytes + kAlign - 1) & ~(kAlign - 1); };
  return align(align(frameBytesOf(launch)) + kernelOf(launch).facts().interleavedState);
}

/// Whether no two arguments have memory in common. An argument of unknown address may have some with any other, and
/// imported memory may lie at a second address, too.
bool areArgumentsApart(const ArgSnapshot& args, HomeId home) {
  if (!args.arePointersApart) return false;
  const std::size_t count = args.objectCount();
  for (std::size_t i = 1; i < count; ++i)
    for (std::size_t k = 0; k < i; ++k) {
      if (args.object(i).storage().isExternal() || args.object(k).storage().isExternal()) return false;
      const std::byte *one = args.object(i).addressOn(home), *other = args.object(k).addressOn(home);
      if (one < other + args.object(k).size() && other < one + args.object(i).size()) return false;
    }
  return true;
}

/// Bytes of the buffer that threads may count in by themselves, which is worth it only where there is much to count;
/// otherwise 0.
std::uint16_t counterBytes(const Launch& launch, HomeId home) {
  constexpr double kLeastItems = 16; // for each counter
  const CpuKernelFacts& facts = kernelOf(launch).facts();
  // Clearing and adding up does not pay where each work-group is a range of its own.
  const bool isWhole = !(launch.zeroesLocal && launch.args.localBytes != 0) && !kernelOf(launch).info().enqueues;
  if (facts.counters == CpuKernelFacts::kNoArgument || !isWhole) return 0;
  const std::byte* address = nullptr;
  std::memcpy(static_cast<void*>(&address), launch.args.block() + kernelOf(launch).info().args[facts.counters].offset,
              sizeof address);
  for (std::uint32_t i = 0; i < launch.args.bufferCount; ++i) {
    const MemoryView& buffer = launch.args.object(i);
    if (buffer.addressOn(home) != address) continue;
    const std::uint64_t bytes = buffer.size(), counters = bytes / facts.counterSize;
    const bool isWorthIt = counters != 0 && bytes <= kMostCounterBytes &&
                           launch.range.items() >= kLeastItems * static_cast<double>(counters);
    return isWorthIt && areArgumentsApart(launch.args, home) ? static_cast<std::uint16_t>(bytes) : std::uint16_t{0};
  }
  return 0;
}

/// Bytes of the largest memory that an argument lies in. A sub-buffer counts as its whole buffer, in whose bounds
/// programs are taken to stay.
std::uint64_t largestMemory(const ArgSnapshot& args) {
  std::uint64_t largest = args.largestPointed;
  const std::size_t count = args.objectCount();
  for (std::size_t i = 0; i < count; ++i)
    largest = std::max<std::uint64_t>(largest, args.object(i).storage().size());
  return largest;
}

/// Whether the launch's work-groups, but for those at its ends, run as CpuKernelFacts::directSize says if arguments are
/// apart.
bool mayRunDirectly(const Launch& launch) {
  const CpuKernelFacts& facts = kernelOf(launch).facts();
  const auto& local = launch.range.local;
  return facts.directSize[0] == local[0] && facts.directSize[1] == local[1] && local[2] == 1 &&
         launch.range.offset == decltype(launch.range.offset){};
}

/// The launch as it is cut into the work-groups that are run.
NDRange rangeOf(const Launch& launch, const Task& task) {
  NDRange range = launch.range;
  range.local[1] *= task.stackedGroups;
  return range;
}

LaunchParams paramsOf(const Launch& launch, const Task& task, const Boxes& boxes) {
  const NDRange range = rangeOf(launch, task);
  LaunchParams params{};
  params.args = launch.args.block();
  params.printf = task.printf ? task.printf->buffer : nullptr;
  for (std::size_t i = 0; i < 3; ++i) {
    params.globalOffset[i] = range.offset[i];
    params.globalSize[i] = range.global[i];
    params.enqueuedLocalSize[i] = range.local[i];
    params.numGroups[i] = boxes.groups(i);
  }
  if (kernelOf(launch).facts().countsRows) params.globalSize[2] = range.rowItems;
  params.workDim = range.dimensions;
  params.mergedGroups = task.mergedGroups;
  params.interleavedGroups = task.interleavedGroups;
  if (kernelOf(launch).facts().interleavedState != 0) params.interleavedStride = interleavedStride(launch);
  params.argumentsApart = task.areArgumentsApart ? 1 : 0;
  params.largestMemory = task.largestMemory;
  params.counterBytes = task.counterBytes;
  if (task.printf && task.printf->checks) params.checks = task.printf->checks->launch();
  const std::uint64_t cache = deviceOf(task).properties().globalCacheSize;
  params.nonTemporalFrom = nonTemporalFrom(range, task.keepsOutput ? cache + cache / 2 : cache);
  return params;
}

void setBox(LaunchParams& params, const Box& box) {
  for (std::size_t i = 0; i < 3; ++i) {
    params.localSize[i] = box.local[i];
    params.firstGroup[i] = box.first[i];
    params.endGroup[i] = box.end[i];
  }
}

/// How many neighbours along dimension 0 are worth running as one work-group, so that its rows are long and, if
/// possible, full sub-groups. Not more: a work-group's shape is how programs say what shares a cache.
std::uint32_t mergedGroups(const Launch& launch, bool runsDirectly, const Boxes& boxes, std::uint32_t workers) {
  const CpuKernelFacts& facts = kernelOf(launch).facts();
  std::uint64_t inRow = boxes.fullGroups(0), row = launch.range.local[0];
  if (facts.mergedRow == 0 || inRow < 2 || (facts.directSize[0] != 0 && !runsDirectly)) return 1;
  std::uint64_t width = kernelOf(launch).limits().subGroupSize,
                step = width / std::gcd(width, row); // groups that are full sub-groups
  std::uint64_t wanted = std::max<std::uint64_t>(facts.mergedRow, 8 * width) / row;
  if (wanted >= step) wanted = wanted / step * step;
  // Every thread finds enough to do.
  std::uint64_t most = std::min(inRow, boxes.groupCount() / (std::uint64_t{kMergedUnits} * workers));
  std::uint64_t merged = std::clamp<std::uint64_t>(wanted, 1, std::max<std::uint64_t>(most, 1));
  // Rows are cut into equal pieces.
  std::uint64_t pieces = (inRow + merged - 1) / merged;
  return static_cast<std::uint32_t>((inRow + pieces - 1) / pieces);
}

/// How many neighbours along dimension 1 are worth running as one work-group, so that as few rows as can be are left
/// over of those that the kernel runs at once. All groups stay of one size.
std::uint8_t stackedGroups(const Launch& launch, std::uint32_t workers) {
  constexpr std::uint64_t kMostTimes = 3; // the rows that go together, which are 64 at most
  const CpuKernelFacts& facts = kernelOf(launch).facts();
  const NDRange& range = launch.range;
  const std::uint64_t rows = facts.rowsAtOnce, own = range.local[1];
  if (!facts.isStackable || own % rows == 0 || range.global[1] % own != 0) return 1;
  const std::uint64_t groups = range.groups(0) * range.groups(1) * range.groups(2);
  const std::uint64_t most =
      std::min(kMostTimes * rows / own, groups / (std::uint64_t{kMergedUnits} * workers)); // every thread finds enough
  std::uint64_t best = 1, left = own % rows;                                               // of `best` groups
  for (std::uint64_t count = 2; count <= most && left != 0; ++count) {
    const std::uint64_t rest = count * own % rows;
    if (range.groups(1) % count != 0 || rest * best >= left * count) continue;
    best = count;
    left = rest;
  }
  return static_cast<std::uint8_t>(best);
}

/// How many neighbours along dimension 0 should take turns. They make few pieces, so each thread gets as many.
std::uint16_t interleavedGroups(const Launch& launch, const Boxes& boxes, std::uint32_t workers) {
  if (kernelOf(launch).facts().interleavedState == 0) return 1;
  std::uint64_t inRow = boxes.fullGroups(0);
  std::uint64_t most = std::min({kInterleavedBytes / interleavedStride(launch), inRow,
                                 boxes.groupCount() / (std::uint64_t{kMergedUnits} * workers)});
  if (most < 2) return 1;
  std::uint64_t pieces = ((inRow + most - 1) / most + workers - 1) / workers * workers;
  return static_cast<std::uint16_t>((inRow + pieces - 1) / pieces);
}

/// Cuts the launch into units for so many threads.
void divide(const Launch& launch, std::uint32_t workers, Task& task) noexcept {
  task.stackedGroups = stackedGroups(launch, workers);
  const Boxes boxes(rangeOf(launch, task));
  std::uint64_t groups = boxes.groupCount();
  const bool mayBeDirect = mayRunDirectly(launch);
  const CpuKernelFacts& facts = kernelOf(launch).facts();
  // Launches whose arguments are not apart run other code then.
  const bool areKnownApart = facts.lacksExact && facts.asksApart;
  task.areArgumentsApart =
      areKnownApart || ((mayBeDirect || facts.asksApart) && areArgumentsApart(launch.args, task.node->home()));
  task.counterBytes = counterBytes(launch, task.node->home());
  task.runsDirectly = mayBeDirect && task.areArgumentsApart;
  task.largestMemory = largestMemory(launch.args);
  task.keepsOutput = keepsOutput(launch, deviceOf(task).properties().globalCacheSize);
  task.isMeasured = kernelOf(launch).isMeasured();
  task.mergedGroups = mergedGroups(launch, task.runsDirectly, boxes, workers);
  task.interleavedGroups = interleavedGroups(launch, boxes, workers);
  std::uint64_t together = std::uint64_t{task.mergedGroups} * task.interleavedGroups; // one of them is 1
  task.unitSize = std::max<std::uint64_t>((groups + WorkRanges::kMaxUnits - 1) / WorkRanges::kMaxUnits, 1);
  task.unitSize = (task.unitSize + together - 1) / together * together;
  task.units = static_cast<std::uint32_t>((groups + task.unitSize - 1) / task.unitSize);
  if (task.units < 2) return;

  // Floating point: products of sizes and costs may be huge.
  const double items = launch.range.items();
  double threads = items / kItemsPerThread;
  if (std::uint64_t cost = kernelOf(launch).itemCost()) {
    double total = static_cast<double>(cost) / CpuKernel::kCostScale * items;
    if (total <= kWholeTicks) return;
    double chunk = static_cast<double>(kChunkTicks) * task.units / total;
    task.leastChunk = static_cast<std::uint32_t>(std::clamp(chunk, 1.0, std::max(task.units / (4.0 * workers), 1.0)));
    task.quickChunk = static_cast<std::uint32_t>(
        std::min(static_cast<double>(kQuickTicks) * task.units / total, static_cast<double>(task.units)));
    threads = total / kThreadTicks;
    const double slots = std::min(workers, WorkRanges::kSlots);
    task.hasShortClaims =
        task.units >= kClaimsPerThread * 2 * slots && total / (kClaimsPerThread * slots) <= kShortTicks;
  }
  task.whole = false;
  task.parallelism = static_cast<std::uint16_t>(
      std::clamp<double>(threads, 1, std::min({workers, task.units, std::uint32_t{UINT16_MAX}})));
  task.ranges.init(task.units, std::min(task.units, workers));
}

/// Objects of a launch while its code is chosen: the application may release its arguments at the same time.
struct HeldArguments {
  explicit HeldArguments(const ArgSnapshot& args) {
    for (std::size_t i = 0; i < std::min(args.objectCount(), objects.size()) && areThere; ++i) {
      objects[i] = Ref<MemoryView>::ifAlive(&args.object(i));
      areThere = static_cast<bool>(objects[i]);
    }
  }
  std::array<Ref<MemoryView>, 32> objects;
  bool areThere = true;
};

/// Whether all work-groups of the launch are one row or have rows of a multiple of so many work-items.
bool haveRowsOf(std::uint64_t multiple, const NDRange& range) noexcept {
  if (multiple == 0 || range.local[1] * range.local[2] == 1) return true;
  return range.local[0] % multiple == 0 && range.global[0] % range.local[0] % multiple == 0;
}

} // namespace

bool CpuKernel::mayRun(const ArgSnapshot& args, const NDRange& range, HomeId home) const noexcept {
  if (!facts_.lacksExact) return true;
  if (facts_.idsFit && range.offset[0] + range.global[0] > kMostIds) return false;
  if (!haveRowsOf(facts_.rowMultiple, range)) return false;
  const HeldArguments held(args);
  if (!held.areThere) return true; // the launch fails
  return args.objectCount() <= held.objects.size() && largestMemory(args) <= facts_.largestMemory &&
         (!facts_.asksApart || areArgumentsApart(args, home));
}

void planLaunch(const Launch& launch, std::uint32_t workers, Task& task) noexcept {
  const PrivateBudget& budget = budgetOf(task);
  const std::uint64_t bytes = kernelOf(launch).privateBytesOfRows(launch.range.local);
  if (!budget.fits(bytes)) {
    if (task.fail(CL_OUT_OF_RESOURCES)) reportLack(launch, task, "its work-groups keep more than there is memory for");
    return;
  }
  task.mostThreads = budget.threadsFor(bytes, workers);
  divide(launch, task.mostThreads, task);
  if (bytes > budget.share()) task.privateBytes = bytes * (task.whole ? 1 : std::min(task.mostThreads, task.units));
}

namespace {

/// For work-groups whose private data take more than a thread's share (Task::privateBytes): what the thread has kept
/// until now is not needed besides, nor is this afterwards.
class LargeWorkGroup {
 public:
  LargeWorkGroup(Executor& executor, bool isLarge) : executor_(executor), isLarge_(isLarge) {
    if (isLarge) executor.shrink();
  }
  ~LargeWorkGroup() {
    if (isLarge_) executor_.shrink();
  }
  LargeWorkGroup(const LargeWorkGroup&) = delete;
  LargeWorkGroup& operator=(const LargeWorkGroup&) = delete;

 private:
  Executor& executor_;
  const bool isLarge_;
};

/// A thread's memory for one work-group of a launch.
struct GroupMemory {
  std::uint64_t localBytes, frameBytes, fibres;
  std::size_t privateStack;
};

GroupMemory groupMemoryOf(const Launch& launch) {
  const CpuKernel& kernel = kernelOf(launch);
  return {launch.args.localBytes, frameBytesOf(launch),
          kernel.facts().subGroupStackBytes ? subGroupsInTurn(kernel.limits(), launch.range.local) : 0,
          privateStackBytes(kernel.limits(), kernel.facts())};
}

constexpr const char* kNoGroupMemory = "no memory for its stack, local memory or private data";

/// False without memory. `callersFrame`: where kernels' stacks end that are the thread's own.
bool prepareContext(const CpuKernel& kernel, const GroupMemory& memory, Executor& executor, std::byte* callersFrame,
                    WorkerContext& context) {
  const CpuKernelFacts& facts = kernel.facts();
  context.localMemory = executor.local.reserve(memory.localBytes);
  context.frame = executor.frame.reserve(memory.frameBytes);
  context.subGroups = &kSubGroupServices;
  bool lacksMemory = (!context.localMemory && memory.localBytes) || (!context.frame && memory.frameBytes) ||
                     (facts.subGroupStackBytes && !executor.fibres.reserve(memory.fibres, facts.subGroupStackBytes));
  if (lacksMemory || !executor.prepareCall(facts.stackBytes, memory.privateStack)) return false;
  // Without memory to begin at, null is their end, too.
  context.localEnd = context.localMemory ? context.localMemory + memory.localBytes : nullptr;
  context.frameEnd = context.frame ? context.frame + memory.frameBytes : nullptr;
  if (const GuardedStack* stack = executor.kernelStack()) {
    context.stackBegin = stack->bottom();
    context.stackEnd = stack->top();
  } else {
    context.stackBegin = executor.ownStack().begin;
    context.stackEnd = callersFrame;
  }
  if (facts.subGroupStackBytes) {
    context.subGroupState = &executor.fibres;
    context.stackBegin = executor.fibres.begin();
    context.stackEnd = executor.fibres.end();
  }
  return true;
}

/// Names the program's work-groups, where others are run.
void reportFault(const Launch& launch, const Task& task, const Fault& fault, const WorkerContext& context,
                 FaultReport onFault) noexcept {
  std::uint64_t first = context.currentGroup, count = std::max<std::uint64_t>(context.currentGroups, 1);
  if (const std::uint64_t stacked = task.stackedGroups; stacked > 1) {
    const std::uint64_t inRow = launch.range.groups(0);
    first = first / inRow * stacked * inRow + first % inRow;
    count += (stacked - 1) * inRow;
  }
  onFault(*task.node, launch, fault, first, count);
}

} // namespace

void reportLack(const Launch& launch, const Task& task, const char* why) noexcept {
  try {
    task.node->report("kernel '" + launch.kernel->info().name + "': " + why, kernelOf(launch).failureLevel());
  } catch (const std::bad_alloc&) {
    // The command's status tells it all the same.
  }
}

void runLaunch(const Launch& launch, Task& task, Executor& executor, std::uint64_t first, std::uint64_t end,
               FaultReport onFault) noexcept {
  const CpuKernel& kernel = kernelOf(launch);
  const KernelInfo& info = kernel.info();
  const CpuKernelFacts& facts = kernel.facts();
  const Boxes boxes(rangeOf(launch, task));
  std::uint64_t firstGroup = first * task.unitSize;
  std::uint64_t endGroup = std::min(end * task.unitSize, boxes.groupCount());
  if (firstGroup >= endGroup) return;

  installFaultHandlers();
  const LargeWorkGroup large(executor, task.privateBytes != 0);
  WorkerContext context{};
  GroupMemory memory = groupMemoryOf(launch);
  if (facts.interleavedState) memory.frameBytes = task.interleavedGroups * interleavedStride(launch);
  // Above this function's frame are the application's, which may hold memory of buffers.
  if (!prepareContext(kernel, memory, executor, static_cast<std::byte*>(__builtin_frame_address(0)), context)) {
    if (task.fail(CL_OUT_OF_RESOURCES)) reportLack(launch, task, kNoGroupMemory);
    return;
  }
  if (task.printf && task.printf->checks && !task.printf->checks->prepare(executor, context)) {
    if (task.fail(CL_OUT_OF_RESOURCES)) reportLack(launch, task, kNoGroupMemory);
    return;
  }
  Enqueuing enqueuing{};
  if (task.enqueuer) {
    enqueuing = task.enqueuer->begin(kernel.program());
    context.enqueuing = &enqueuing;
  }
  LaunchParams params = paramsOf(launch, task, boxes);
  std::uint64_t begin = ticks(), items = 0, boxBegin = 0;
  // Memory that has to be zero is made so for each work-group (cl_khr_initialize_memory).
  bool zeroed = launch.args.localBytes && launch.zeroesLocal;
  if (info.flushesDenormals) FloatEnvironment::flushDenormals();
  Fault fault;
  for (unsigned i = 0; i < boxes.count() && boxBegin < endGroup && !fault; ++i) {
    const Box box = boxes[i];
    std::uint64_t from = std::max(firstGroup, boxBegin) - boxBegin;
    std::uint64_t to = std::min(endGroup - boxBegin, box.groups());
    boxBegin += box.groups();
    if (from >= to) continue;
    setBox(params, box);
    context.currentGroup = from;
    context.currentGroups = 0;
    for (std::uint64_t group = from, next; group < to && !fault; group = next) {
      // Kernels that a work-group has enqueued are to start when it has ended.
      next = zeroed || task.enqueuer ? group + 1 : to;
      if (zeroed) std::memset(context.localMemory, 0, launch.args.localBytes);
      fault = guardedCall(executor, kernel.function(), &params, &context, group, next);
      if (task.enqueuer) task.enqueuer->take(*task.node, enqueuing, static_cast<bool>(fault));
    }
    items += (to - from) * box.items();
    if (fault) context.currentGroup = boxes.indexInLaunch(box, context.currentGroup);
  }
  std::uint64_t spent = ticks() - begin;
  if (info.flushesDenormals) FloatEnvironment::setStandard();
  finishStores(); // kernels may have stored past the caches
  if (fault) {
    if (task.fail(CL_OUT_OF_RESOURCES)) reportFault(launch, task, fault, context, onFault);
    return;
  }
  kernel.learnCost(spent, items);
  if (task.isMeasured)
    task.spent.fetch_add(static_cast<std::uint32_t>((spent + Task::kSpentUnit - 1) / Task::kSpentUnit),
                         std::memory_order_relaxed);
}

/// A launch with all that is passed to the kernel.
struct ShortLaunch final : PreparedCommand {
  LaunchParams params;
  GroupMemory memory;
  std::uint64_t groups, items;
  std::uint64_t mostCost; ///< of a work-item, for one thread to run all of it
  std::uint32_t hostStack;
};

std::unique_ptr<const PreparedCommand> prepareShortLaunch(const Launch& launch, const Task& task) noexcept {
  const Boxes boxes(rangeOf(launch, task));
  const double items = launch.range.items();
  const bool isPlain = task.whole && task.privateBytes == 0 && !task.printf && boxes.count() == 1 &&
                       items < kFewestKeptItems && !(launch.args.localBytes && launch.zeroesLocal) &&
                       kernelOf(launch).facts().interleavedState == 0;
  if (!isPlain) return nullptr;
  auto* prepared = new (std::nothrow) ShortLaunch;
  if (!prepared) return nullptr;
  prepared->params = paramsOf(launch, task, boxes);
  setBox(prepared->params, boxes[0]);
  prepared->memory = groupMemoryOf(launch);
  prepared->groups = boxes.groupCount();
  prepared->items = static_cast<std::uint64_t>(items);
  prepared->mostCost = task.units < 2 ? std::numeric_limits<std::uint64_t>::max()
                                      : kWholeTicks * CpuKernel::kCostScale / prepared->items;
  prepared->hostStack = task.hostStack;
  return std::unique_ptr<const PreparedCommand>(prepared);
}

bool runShortLaunch(const Launch& launch, const PreparedCommand& command, Task& task, Executor& executor,
                    std::uint64_t& now, FaultReport onFault) noexcept {
  const auto& prepared = static_cast<const ShortLaunch&>(command);
  const CpuKernel& kernel = kernelOf(launch);
  if (kernel.itemCost() > prepared.mostCost || prepared.hostStack > task.hostStack) return false;
  WorkerContext context{};
  if (!prepareContext(kernel, prepared.memory, executor, static_cast<std::byte*>(__builtin_frame_address(0)),
                      context)) {
    if (task.fail(CL_OUT_OF_RESOURCES)) reportLack(launch, task, kNoGroupMemory);
    return true;
  }
  const bool flushesDenormals = kernel.info().flushesDenormals;
  if (flushesDenormals) FloatEnvironment::flushDenormals();
  const Fault fault = guardedCall(executor, kernel.function(), &prepared.params, &context, 0, prepared.groups);
  if (flushesDenormals) FloatEnvironment::setStandard();
  if (fault) {
    task.fail(CL_OUT_OF_RESOURCES);
    reportFault(launch, task, fault, context, onFault);
    return true;
  }
  const std::uint64_t begin = std::exchange(now, ticks());
  kernel.learnCost(now - begin, prepared.items);
  if (kernel.isMeasured()) kernel.addSample(now - begin, static_cast<double>(prepared.items));
  return true;
}

} // namespace clotho::cpu
