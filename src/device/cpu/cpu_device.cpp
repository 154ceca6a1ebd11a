// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/cpu_device.hpp"

#include "base/log.hpp"
#include "base/options.hpp"
#include "base/spin.hpp"
#include "device/cpu/launch.hpp"
#include "device/cpu/program_loader.hpp"
#include "device/cpu/transfer.hpp"
#include "runtime/process.hpp"

#include <bit>
#include <ctime>
#include <new>
#include <numeric>
#include <sys/resource.h>

namespace clotho::cpu {

namespace {

static_assert(sizeof(Task) <= Event::kDeviceStateSize && alignof(Task) <= 64, "tasks lie in their events");

// --- Properties ---

DeviceProperties readProperties(unsigned cpus) {
  CpuFacts cpu = chooseCpuFacts(readCpuFacts(""), options());
  CgroupLimits cgroup = readCgroupLimits("");
  rlimit processes{};
  getrlimit(RLIMIT_NPROC, &processes);

  DeviceProperties result;
  result.name = cpu.name;
  result.vendor = cpu.vendor;
  result.driverVersion = CLOTHO_VERSION;
  result.vendorId = cpu.vendorId;
  result.computeUnits =
      chooseComputeUnits(cpus, cgroup, userThreadRoom("", processes.rlim_cur), options().computeUnits);
  result.clockFrequency = cpu.clockMHz;
  result.globalMemorySize = chooseGlobalMemory(readMemoryLimits("", cgroup), options().globalMemory);
  result.privateMemorySize = choosePrivateMemory(result.globalMemorySize);
  result.maxAllocationSize = chooseMaxAllocation(result.globalMemorySize, options().maxAllocation);
  result.localMemorySize = chooseLocalMemory(cpu.privateCacheBytes, options().localMemory);
  result.globalCacheSize = cpu.cacheBytes;
  result.cacheLineSize = cpu.cacheLine;
  result.nativeVectorBytes = cpu.vectorBytes;
  // As the compiler takes it: what is no width, not at all.
  const std::uint64_t width = options().width;
  result.subGroupSize =
      std::has_single_bit(width) && width <= 64 ? static_cast<std::uint32_t>(width) : kDefaultSubGroupSize;
  result.preferredGroupMultiple = cpu.vectorBytes / sizeof(float);
  return result;
}

// --- What tasks do ---

CpuDevice& deviceOf(const Task& task) { return static_cast<CpuDevice&>(task.event->queue()->device().root()); }

template <class T> const T& commandOf(const Task& task) { return *std::get_if<T>(&task.event->command()); }

void beginTask(Task& task) noexcept { task.event->begin(); }

void finishTask(Task& task) noexcept { task.event->complete(task.status.load(std::memory_order_relaxed)); }

void reportFault(Event& event, const Fault& fault, std::uint64_t group, std::uint64_t count) noexcept {
  try {
    std::string text = describeFault(*std::get_if<Launch>(&event.command()), fault, group, count);
    event.context().report(std::move(text));
  } catch (const std::bad_alloc&) {
    // The event's status tells it all the same.
  }
}

void finishLaunch(Task& task) noexcept {
  if (task.printf) {
    const LoadedProgram& program = static_cast<const CpuKernel&>(*commandOf<Launch>(task).kernel).program();
    deviceOf(task).printfArenas().printAndRelease(*task.printf, program.printfFormats(), program.strings());
  }
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

/// Host memory is the buffer's memory, so unmapping moves nothing.
constexpr TaskOps kNothingOps = {beginTask, [](Task&, Executor&, std::uint64_t, std::uint64_t) noexcept {}, finishTask};

/// Kernels that take more of the stack than this are left to workers, which have one that is guarded.
constexpr std::uint64_t kMostOfHostStack = std::uint64_t{64} << 10;

/// Task::hostStack
std::uint32_t hostStackOf(const Command& command, const PrivateBudget& budget) {
  if (!options().helps) return Task::kNotOnHosts;
  const auto* launch = std::get_if<Launch>(&command);
  if (!launch) return 0;
  // Nor does it wait for memory, as large work-groups do.
  const auto& kernel = static_cast<const CpuKernel&>(*launch->kernel);
  if (kernel.privateBytesOfGroup(launch->range.local) > budget.share()) return Task::kNotOnHosts;
  const std::uint64_t bytes = kernel.facts().stackBytes;
  return bytes == 0 || bytes > kMostOfHostStack ? Task::kNotOnHosts : static_cast<std::uint32_t>(bytes);
}

void runHostCall(Event& event) noexcept {
  event.begin();
  const HostCall& call = *std::get_if<HostCall>(&event.command());
  call.function(call.args.get());
  event.complete(CL_COMPLETE);
}

} // namespace

CpuDevice::CpuDevice(Platform& platform) : CpuDevice(platform, affinityCpus()) {}

CpuDevice::CpuDevice(Platform& platform, CpuList cpus)
    : Device(platform), target_{TargetKind::Cpu, options().cpuTarget, "", static_cast<std::uint32_t>(options().width)},
      properties_(readProperties(countOf(cpus))), cpus_(std::move(cpus)),
      running_(std::make_unique<Running>(properties_, cpus_)) {}

void CpuDevice::afterFork() {
  // A child may have been given processors of its own.
  auto fresh = std::make_unique<Running>(properties_, affinityCpus());
  fresh->inherited = std::move(running_);
  running_ = std::move(fresh);
}

std::unique_ptr<DeviceProgram> CpuDevice::load(std::shared_ptr<const BuildResult> built) {
  return std::make_unique<LoadedProgram>(std::move(built));
}

UnitList CpuDevice::units() const {
  UnitList all(properties_.computeUnits);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

// There may be fewer units than processors, by a quota, or more, if somebody asked for them.
CpuList CpuDevice::cpusOf(const UnitList& units) const {
  CpuList cpus;
  for (unsigned unit : units)
    if (!cpus_.empty()) cpus.push_back(cpus_[unit % cpus_.size()]);
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::vector<UnitList> CpuDevice::unitsSharing(cl_device_affinity_domain domain, const UnitList& units) {
  std::vector<UnitList> groups;
  for (const CpuList& cpus : cpusSharing(domain, cpusOf(units))) {
    UnitList& group = groups.emplace_back();
    for (unsigned unit : units)
      if (std::binary_search(cpus.begin(), cpus.end(), cpus_[unit % cpus_.size()])) group.push_back(unit);
  }
  return groups;
}

std::unique_ptr<DeviceShare> CpuDevice::share(const UnitList& units) {
  return std::make_unique<CpuShare>(*this, units);
}

void CpuDevice::start(Event& event) noexcept { startOn(running_->pool, *this, event); }

void CpuDevice::startOn(WorkerPool& pool, CpuDevice& device, Event& event) noexcept {
  const Command& command = event.command();
  if (std::holds_alternative<HostCall>(command)) {
    Process::get().nativeKernels().post([&event] { runHostCall(event); }, event.queue());
    return;
  }
  Task* task;
  if (const auto* launch = std::get_if<Launch>(&command)) {
    task = new (event.deviceState()) Task(kLaunchOps, &event);
    bool prints = static_cast<const CpuKernel&>(*launch->kernel).facts().usesPrintf;
    if (prints) task->printf = device.printfArenas().acquire();
    // A task that has failed already stays whole: one that is shared is left to participants, and it would have none.
    if (prints && !task->printf)
      task->fail(CL_OUT_OF_RESOURCES);
    else
      planLaunch(*launch, pool.workers(), *task);
  } else if (const auto* copy = std::get_if<Copy>(&command)) {
    task = new (event.deviceState()) Task(kCopyOps, &event);
    planCopy(*copy, pool.workers(), *task);
  } else if (const auto* fill = std::get_if<Fill>(&command)) {
    task = new (event.deviceState()) Task(kFillOps, &event);
    planFill(*fill, pool.workers(), *task);
  } else {
    task = new (event.deviceState()) Task(kNothingOps, &event);
  }
  task->hostStack = hostStackOf(command, device.privateBudget());
  pool.start(*task);
}

void CpuDevice::help(HelpFilter wanted, HelpCondition over, const void* context) noexcept {
  if (options().helps)
    running_->pool.help(wanted, over, context);
  else
    spinUntil(over, context);
}

std::uint64_t CpuDevice::now() const noexcept {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

} // namespace clotho::cpu

namespace clotho {

Ref<Device> makeCpuDevice(Platform& platform) { return Ref<cpu::CpuDevice>::adopt(new cpu::CpuDevice(platform)); }

} // namespace clotho
