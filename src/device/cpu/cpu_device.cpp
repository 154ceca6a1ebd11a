// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/cpu_device.hpp"

#include "base/log.hpp"
#include "base/options.hpp"
#include "base/spin.hpp"
#include "device/cpu/cpu_queue.hpp"
#include "device/cpu/on_device_queue.hpp"
#include "device/cpu/program_loader.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <numeric>
#include <sys/resource.h>

namespace clotho::cpu {

namespace {

// --- Properties ---

cl_device_type chosenType() {
  const std::string& type = options().deviceType;
  if (type == "gpu") return CL_DEVICE_TYPE_GPU;
  if (type == "accelerator") return CL_DEVICE_TYPE_ACCELERATOR;
  if (type != "cpu")
    CLOTHO_LOG(Device, Warn, "CLOTHO_DEVICE_TYPE: '%s' is neither cpu nor gpu nor accelerator", type.c_str());
  return CL_DEVICE_TYPE_CPU;
}

/// Sub-group size of kernels that do not require one, whatever the width of kernels without sub-groups.
std::uint32_t chosenSubGroupSize() {
  const std::uint64_t size = options().subGroupSize;
  const auto* known = std::ranges::find(kSubGroupSizes, size);
  return known != std::end(kSubGroupSizes) ? *known : kDefaultSubGroupSize;
}

/// Adds what bare devices do not have.
void addOptionalAbilities(DeviceProperties& result, Kind kind) {
  result.executionCapabilities |= CL_EXEC_NATIVE_KERNEL;
  result.queueProperties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  constexpr cl_device_fp_config kFull =
      CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;
  constexpr cl_device_fp_atomic_capabilities_ext kAllAtomics =
      CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |
      CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT |
      CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
  result.floats = {.single = kFull | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
                   .doubles = kFull,
                   .half = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA,
                   .singleAtomics = kAllAtomics,
                   .doubleAtomics = kAllAtomics,
                   .halfAtomics = kAllAtomics};
  result.atomics |= CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
                    CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
  result.fences |= CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
                   CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
  result.maxGlobalVariableSize = result.globalVariablePreferredTotalSize = 64 << 10;
  result.subGroupSizes.assign(std::begin(kSubGroupSizes), std::end(kSubGroupSizes));
  if (const auto place = std::ranges::lower_bound(result.subGroupSizes, result.subGroupSize);
      place == result.subGroupSizes.end() || *place != result.subGroupSize)
    result.subGroupSizes.insert(place, result.subGroupSize);
  // A kernel whose sub-groups have one work-item each has as many as a work-group has work-items.
  result.maxSubGroups = static_cast<cl_uint>(result.maxWorkGroupSize);
  result.subGroupsProgress = true;
  result.maxNamedBarriers = 1024;
  result.images.areSupported = true;
  result.images.bufferTexels = std::min<std::uint64_t>(result.images.bufferTexels, result.maxAllocationSize);
  result.pipes = {.areSupported = true, .args = 16, .activeReservations = 1024, .packetSize = 4096};
  // A far device reaches the host's memory, too, but is to behave like one that does not while it runs a command.
  using Access = UnifiedMemoryAccess::Capabilities;
  Access access = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
  result.svmCapabilities = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
  if (kind == Kind::Near) {
    result.svmCapabilities |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS;
    access |=
        CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
  }
  result.unifiedMemory = {.host = access,
                          .device = access,
                          .sharedSingle = access,
                          .sharedCross = access,
                          .sharedSystem = kind == Kind::Near ? access : 0};
}

/// Bytes of global memory of a part. A size that an option gives is that of each device.
std::uint64_t globalMemoryOf(CpuPart part, const MemoryLimits& limits) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  const std::uint64_t whole = chooseGlobalMemory(limits, options().globalMemory);
  return part.count == 1 || options().globalMemory != 0 ? whole
                                                        : std::max(whole / part.count / kMiB, std::uint64_t{1}) * kMiB;
}

DeviceProperties readProperties(unsigned cpus, Kind kind, CpuPart part) {
  CpuFacts cpu = chooseCpuFacts(readCpuFacts(""), options());
  CgroupLimits cgroup = readCgroupLimits("");
  rlimit processes{};
  getrlimit(RLIMIT_NPROC, &processes);

  DeviceProperties result;
  result.type = chosenType();
  result.name = cpu.name + (kind == Kind::Near ? "" : kind == Kind::Bare ? " (bare)" : " (far)");
  if (part.count > 1) result.name += " (" + std::to_string(part.number + 1) + " of " + std::to_string(part.count) + ")";
  result.vendor = cpu.vendor;
  result.driverVersion = CLOTHO_VERSION;
  result.vendorId = cpu.vendorId;
  result.computeUnits =
      part.of(chooseComputeUnits(cpus, cgroup, userThreadRoom("", processes.rlim_cur), options().computeUnits));
  result.clockFrequency = cpu.clockMHz;
  result.globalMemorySize = globalMemoryOf(part, readMemoryLimits("", cgroup));
  result.privateMemorySize = choosePrivateMemory(result.globalMemorySize);
  result.maxAllocationSize = chooseMaxAllocation(result.globalMemorySize, options().maxAllocation);
  // Constant memory is global memory that kernels do not write, and larger buffers work, too. But programs keep the
  // answer in an int, and index constants by int.
  result.maxConstantBufferSize = std::min<std::uint64_t>(result.maxAllocationSize, std::uint64_t{1} << 30);
  result.maxConstantArgs = 64;
  result.maxParameterSize = 4096;
  result.isMemoryUnified = kind == Kind::Near;
  result.localMemoryType = CL_GLOBAL;
  result.localMemorySize = chooseLocalMemory(cpu.privateCacheBytes, options().localMemory);
  result.globalCacheSize = cpu.cacheBytes;
  result.cacheLineSize = cpu.cacheLine;
  result.nativeVectorBytes = cpu.vectorBytes;
  // As the compiler takes it: what is no width, not at all.
  const std::uint64_t width = options().width;
  result.subGroupSize =
      std::has_single_bit(width) && width <= 64 ? static_cast<std::uint32_t>(width) : chosenSubGroupSize();
  result.preferredGroupMultiple = cpu.vectorBytes / sizeof(float);
  if (kind != Kind::Bare) addOptionalAbilities(result, kind);
  return result;
}

} // namespace

CpuDevice::CpuDevice(Kind kind, CpuPart part) : CpuDevice(kind, part, affinityCpus()) {}

CpuDevice::CpuDevice(Kind kind, CpuPart part, const CpuList& all)
    : kind_(kind), part_(part),
      target_{TargetKind::Cpu,      options().cpuTarget,    "", static_cast<std::uint32_t>(options().width),
              chosenSubGroupSize(), options().skippedPasses},
      properties_(readProperties(countOf(all), kind, part)), cpus_(part.of(all)) {
  run(cpus_);
}

void CpuDevice::run(const CpuList& cpus) {
  auto fresh = std::make_unique<Running>(*this, properties_, cpus);
  fresh->inherited = std::move(running_);
  running_ = std::move(fresh);
  if (kind_ == Kind::Near) return;
  running_->farMemory = std::make_unique<FarMemory>(*this, properties_.globalMemorySize, makeQueue(QueueTraits{}));
}

// A child may have been given processors of its own.
void CpuDevice::afterFork() { run(part_.of(affinityCpus())); }

std::unique_ptr<DeviceProgram> CpuDevice::load(std::shared_ptr<const BuildResult> built, std::string&) {
  auto program = std::make_unique<LoadedProgram>(std::move(built));
  program->describeBlocks(properties_);
  return program;
}

void CpuDevice::checkCode(const BuildResult& built) const {
  check(built.object.starts_with("\177ELF"), CL_INVALID_BINARY, "the binary's code is no shared object");
  for (const BuiltKernel& kernel : built.kernels)
    checkFacts(kernel);
}

UnitList CpuDevice::units() const {
  UnitList all(properties_.computeUnits);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

// Units may be fewer than processors, by a quota, or more, if the user asks for so many (CLOTHO_COMPUTE_UNITS).
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

std::unique_ptr<DeviceQueue> CpuDevice::makeQueue(const QueueTraits& traits) { return makeQueue(traits, nullptr); }

std::unique_ptr<DeviceQueue> CpuDevice::makeQueue(const QueueTraits& traits, CpuShare* share) {
  if (hasStreams()) return std::make_unique<StreamQueue>(*this, share, traits);
  return std::make_unique<CpuQueue>(*this, share);
}

Ref<OnDeviceQueue> CpuDevice::makeOnDeviceQueue(const OnDeviceQueueTraits& traits) {
  check(deviceEvents().makeReady(), CL_OUT_OF_RESOURCES, "no memory for events of the device");
  return Ref<CpuOnDeviceQueue>::adopt(new CpuOnDeviceQueue(traits));
}

void CpuDevice::help(Filter wanted, Condition over, const void* context) noexcept {
  if (options().helps)
    running_->pool.help(wanted, over, context);
  else
    spinUntil(over, context);
}

} // namespace clotho::cpu

namespace clotho {

std::uint64_t memoryForObjects(std::uint64_t chosenMiB) {
  return cpu::chooseGlobalMemory(cpu::readMemoryLimits("", cpu::readCgroupLimits("")), chosenMiB);
}

Ref<Device> makeCpuDevice(cpu::Kind kind, cpu::CpuPart part) {
  return Ref<cpu::CpuDevice>::adopt(new cpu::CpuDevice(kind, part));
}

} // namespace clotho
