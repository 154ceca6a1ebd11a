// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/cuda_device.hpp"

#include "abi/cuda_kernel.h"
#include "base/log.hpp"
#include "base/options.hpp"
#include "base/spin.hpp"
#include "device/cuda/cuda_program.hpp"
#include "device/cuda/on_device_queue.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <numeric>
#include <string>

namespace clotho::cuda {

namespace {

int attributeOf(const Driver& api, DeviceAttribute attribute, CUdevice device) {
  int value = 0;
  return api.deviceGetAttribute(&value, attribute, device) == CUresult::Success ? value : 0;
}

/// 10 * major + minor of the compute capability.
int capabilityOf(const Driver& api, CUdevice device) {
  return 10 * attributeOf(api, DeviceAttribute::ComputeCapabilityMajor, device) +
         attributeOf(api, DeviceAttribute::ComputeCapabilityMinor, device);
}

/// The newest of the architectures for which code is made that the device runs. Newer devices run that of older ones,
/// too. PTX for later ones, or of a later version, may add vectors of two 16-bit integers, which NVIDIA's assembler of
/// CUDA 13.0 gets wrong where one of them is a constant (docs/llvm.md).
std::string architectureFor(int capability) {
  constexpr std::array kKnown{70, 72, 75, 80, 86, 87, 88, 89, 90};
  int best = kKnown.front();
  for (const int each : kKnown)
    if (each <= capability) best = each;
  return "sm_" + std::to_string(best);
}

/// The version of PTX, as a feature of LLVM's target: the newest without such vectors that the driver knows.
std::string ptxFor(int driverVersion) {
  constexpr int kCuda118 = 11080;
  return driverVersion >= kCuda118 ? "+ptx78" : "+ptx77";
}

FloatProperties floats() {
  FloatProperties result;
  constexpr cl_device_fp_config kAll =
      CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;
  result.single = kAll | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  result.doubles = kAll;
  result.half = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA;
  result.singleAtomics = CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |
                         CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT |
                         CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
  result.doubleAtomics = result.halfAtomics = result.singleAtomics;
  return result;
}

/// Shared memory is managed memory, which host and device may use at the same time where the driver says so. Atomic
/// operations hold between both only if the bus has them.
template <class Attribute> void setSharedMemory(DeviceProperties& result, Attribute&& attribute) {
  if (attribute(DeviceAttribute::ConcurrentManagedAccess) == 0) return;
  const bool hasAtomics = attribute(DeviceAttribute::HostNativeAtomicSupported) != 0;
  const bool reachesAll = attribute(DeviceAttribute::PageableMemoryAccess) != 0;
  UnifiedMemoryAccess::Capabilities access = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL |
                                             CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |
                                             CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL;
  if (hasAtomics) access |= CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
  result.unifiedMemory = {.host = access,
                          .device = access,
                          .sharedSingle = access,
                          .sharedCross = access,
                          .sharedSystem = reachesAll ? access : 0};
  result.svmCapabilities = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
  if (hasAtomics) result.svmCapabilities |= CL_DEVICE_SVM_ATOMICS;
  if (reachesAll) result.svmCapabilities |= CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
}

DeviceProperties readProperties(const Driver& api, CUdevice device) {
  const auto attribute = [&](DeviceAttribute which) { return attributeOf(api, which, device); };
  DeviceProperties result;
  std::array<char, 256> name{};
  api.deviceGetName(name.data(), name.size() - 1, device);
  std::size_t bytes = 0;
  api.deviceTotalMem(&bytes, device);
  result.name = name.data();
  result.vendor = "NVIDIA Corporation";
  result.vendorId = 0x10de;
  result.driverVersion = CLOTHO_VERSION;
  result.type = CL_DEVICE_TYPE_GPU;
  result.computeUnits = static_cast<cl_uint>(std::max(attribute(DeviceAttribute::MultiprocessorCount), 1));
  result.clockFrequency = static_cast<cl_uint>(std::max(attribute(DeviceAttribute::ClockRate) / 1000, 1));
  result.maxWorkGroupSize = static_cast<std::size_t>(attribute(DeviceAttribute::MaxThreadsPerBlock));
  result.maxWorkItemSizes = {static_cast<std::size_t>(attribute(DeviceAttribute::MaxBlockDimX)),
                             static_cast<std::size_t>(attribute(DeviceAttribute::MaxBlockDimY)),
                             static_cast<std::size_t>(attribute(DeviceAttribute::MaxBlockDimZ))};
  result.queueProperties = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  result.correctsMemoryErrors = attribute(DeviceAttribute::EccEnabled) != 0;
  constexpr std::uint64_t kMiB = 1 << 20;
  const auto limited = [](std::uint64_t size, std::uint64_t mebibytes) {
    return mebibytes != 0 && mebibytes < size / kMiB ? mebibytes * kMiB : size;
  };
  result.globalMemorySize = limited(bytes, options().globalMemory);
  // The driver and others have some of it.
  result.maxAllocationSize = limited(result.globalMemorySize / 4 * 3, options().maxAllocation);
  result.localMemorySize =
      static_cast<std::uint64_t>(attribute(DeviceAttribute::MaxSharedMemoryPerBlockOptin)) - kLocalBegin;
  result.privateMemorySize = bytes;
  result.globalCacheSize = static_cast<std::uint64_t>(attribute(DeviceAttribute::L2CacheSize));
  result.cacheLineSize = 128;
  result.baseAddressAlignment = 256;
  result.preferredGroupMultiple = 32;
  result.subGroupSize = 32;
  result.subGroupSizes.assign(std::begin(kSubGroupSizes), std::end(kSubGroupSizes));
  result.maxSubGroups = static_cast<cl_uint>(result.maxWorkGroupSize / kSubGroupSizes[0]);
  result.subGroupsProgress = true; // threads of all GPUs that are used do
  result.maxNamedBarriers = 1024;
  result.nativeVectorBytes = 4;
  result.profilingResolution = 1000;
  result.maxParameterSize = kMostArgumentBytes;
  result.maxConstantBufferSize = result.maxAllocationSize; // constant memory is global memory
  result.maxConstantArgs = 64;
  result.printfBufferSize = PrintBuffers::kSize;
  result.maxGlobalVariableSize = 64 << 10;
  result.globalVariablePreferredTotalSize = 64 << 10;
  result.images.areSupported = true;
  result.images.needAlignedTexels = true;
  result.images.bufferTexels = std::min<std::size_t>(result.images.bufferTexels, result.maxAllocationSize);
  result.pipes = {.areSupported = true, .args = 16, .activeReservations = 1024, .packetSize = 4096};
  result.floats = floats();
  result.atomics = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
                   CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE;
  result.fences = result.atomics | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM;
  CUuuid uuid;
  if (api.deviceGetUuid(&uuid, device) == CUresult::Success)
    result.uuid = std::bit_cast<std::array<cl_uchar, CL_UUID_SIZE_KHR>>(uuid);
  result.pciBus = cl_device_pci_bus_info_khr{static_cast<cl_uint>(attribute(DeviceAttribute::PciDomainId)),
                                             static_cast<cl_uint>(attribute(DeviceAttribute::PciBusId)),
                                             static_cast<cl_uint>(attribute(DeviceAttribute::PciDeviceId)), 0};
  result.nvidia = NvidiaAttributes{
      .computeCapabilityMajor = static_cast<cl_uint>(attribute(DeviceAttribute::ComputeCapabilityMajor)),
      .computeCapabilityMinor = static_cast<cl_uint>(attribute(DeviceAttribute::ComputeCapabilityMinor)),
      .registersPerBlock = static_cast<cl_uint>(attribute(DeviceAttribute::RegistersPerBlock)),
      .warpSize = static_cast<cl_uint>(attribute(DeviceAttribute::WarpSize)),
      .overlapsCopies = attribute(DeviceAttribute::GpuOverlap) != 0,
      .hasKernelTimeout = attribute(DeviceAttribute::KernelExecTimeout) != 0,
      .isMemoryIntegrated = attribute(DeviceAttribute::Integrated) != 0,
      .copyEngines = static_cast<cl_uint>(attribute(DeviceAttribute::AsyncEngineCount))};
  setSharedMemory(result, attribute);
  return result;
}

/// All GPUs have what the table has for them, but for shared memory.
Claims claimsOf(const DeviceProperties& properties) {
  Claims result = Claims::of(claims::kNvidia);
  if (properties.svmCapabilities != 0) return result;
  result.remove(claims::rowOf("cl_intel_unified_shared_memory"));
  result.remove(claims::rowOf("cl_khr_unified_svm"));
  return result;
}

} // namespace

CudaDevice::CudaDevice(const Driver& api, CUdevice device)
    : api_(api), device_(device), properties_(readProperties(api, device)),
      canPlaceMemory_(attributeOf(api, DeviceAttribute::VirtualMemoryManagementSupported, device) != 0),
      claims_(claimsOf(properties_)),
      target_{TargetKind::Nvptx, architectureFor(capabilityOf(api, device)), ptxFor(api.version), 0, 32, {}},
      sharedBytes_(attributeOf(api, DeviceAttribute::MaxSharedMemoryPerBlockOptin, device)) {}

CudaDevice::Running& CudaDevice::running() {
  if (Running* running = running_.load(std::memory_order_acquire)) [[likely]]
    return *running;
  MutexLock lock(mutex_);
  check(!isOfParent_, CL_DEVICE_NOT_AVAILABLE, "CUDA does not work in a forked process");
  if (!running_.load(std::memory_order_relaxed)) {
    // Never destroyed, since its threads use it, and the driver may be gone by then. If a step fails the next call goes
    // on with what there is.
    if (!made_)
      made_ =
          new Running(api_, device_, properties_, (properties_.svmCapabilities & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0);
    made_->services.streams.makeReady();
    made_->services.copier.makeReady();
    made_->services.staging.makeReady();
    if (!made_->transfers) made_->transfers = std::make_unique<CudaQueue>(made_->services, QueueTraits{});
    running_.store(made_, std::memory_order_release);
  }
  return *running_.load(std::memory_order_relaxed);
}

void CudaDevice::reach(const CudaDevice& peer) noexcept {
  Running* own = running_.load(std::memory_order_acquire);
  Running* other = peer.running_.load(std::memory_order_acquire);
  if (!own || !other) return;
  try {
    MutexLock lock(mutex_);
    if (std::ranges::find(reached_, &peer) != reached_.end()) return;
    reached_.push_back(&peer);
  } catch (const std::bad_alloc&) {
    return; // the driver copies by way of the host
  }
  int canAccess = 0;
  if (api_.deviceCanAccessPeer(&canAccess, device_, peer.device_) == CUresult::Success && canAccess)
    own->context.reach(other->context, device_);
}

std::unique_ptr<DeviceProgram> CudaDevice::load(std::shared_ptr<const BuildResult> built, std::string& log) {
  return std::make_unique<CudaProgram>(running().context, std::move(built), sharedBytes_, log);
}

std::unique_ptr<DeviceQueue> CudaDevice::makeQueue(const QueueTraits& traits) {
  return std::make_unique<CudaQueue>(running().services, traits);
}

Ref<OnDeviceQueue> CudaDevice::makeOnDeviceQueue(const OnDeviceQueueTraits& traits) {
  Running& own = running();
  if (traits.isTimed) own.services.times.makeReady();
  return Ref<OnDeviceQueue>::adopt(new CudaOnDeviceQueue(own.context, traits));
}

// The driver itself checks the rest of PTX.
void CudaDevice::checkCode(const BuildResult& built) const {
  for (const BuiltKernel& kernel : built.kernels)
    check(built.object.find(".entry " + checkedFacts(kernel).symbol + "(") != std::string::npos, CL_INVALID_BINARY,
          "the program's code lacks a kernel");
}

UnitList CudaDevice::units() const {
  UnitList all(properties_.computeUnits);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

// The parent's context is left alone: its memory, streams and threads are not this process's.
void CudaDevice::afterFork() {
  new (&mutex_) Mutex; // a thread of the parent's may have held it
  isOfParent_ = true;
  MutexLock lock(mutex_);
  if (made_) {
    made_->context.leaveInChild();
    made_->services.streams.afterFork();
  }
  running_.store(nullptr, std::memory_order_relaxed);
}

// Commands that take longer than this are left to the thread that looks after all streams.
void CudaDevice::help(Filter wanted, Condition over, const void* context) noexcept {
  constexpr auto kPatience = std::chrono::microseconds(200);
  Running* running = running_.load(std::memory_order_acquire);
  if (!running) return;
  bool isFirst = true;
  for (const auto end = std::chrono::steady_clock::now() + kPatience; !over(context); isFirst = false) {
    running->services.streams.request(wanted, context, isFirst);
    if (running->services.copier.help(wanted, context) || running->services.streams.settle()) continue;
    if (std::chrono::steady_clock::now() > end) return;
    pauseCpu();
  }
}

// --- Memory ---

void* CudaDevice::Memory::allocate(std::size_t size, std::size_t) noexcept {
  try {
    return std::bit_cast<void*>(device_.running().context.allocate(size));
  } catch (...) {
    return nullptr;
  }
}

void CudaDevice::Memory::deallocate(void* memory, std::size_t) noexcept {
  if (Running* running = device_.running_.load(std::memory_order_acquire))
    running->context.deallocate(std::bit_cast<CUdeviceptr>(memory));
}

bool CudaDevice::Memory::allocateAt(void* memory, std::size_t size) noexcept {
  try {
    return device_.running().context.allocateAt(std::bit_cast<CUdeviceptr>(memory), size);
  } catch (...) {
    return false;
  }
}

void CudaDevice::Memory::deallocateAt(void* memory, std::size_t size) noexcept {
  if (Running* running = device_.running_.load(std::memory_order_acquire))
    running->context.deallocateAt(std::bit_cast<CUdeviceptr>(memory), size);
}

bool CudaDevice::Memory::pin(void* memory, std::size_t size) noexcept {
  Running* running = device_.running_.load(std::memory_order_acquire);
  return running && running->pinned.pin(memory, size);
}

bool CudaDevice::Memory::unpin(void* memory) noexcept {
  Running* running = device_.running_.load(std::memory_order_acquire);
  return !running || running->pinned.unpin(memory);
}

void* CudaDevice::Memory::allocateShared(std::size_t size, std::size_t alignment, bool isOwned) noexcept {
  try {
    return device_.running().managed.allocate(size, alignment, isOwned);
  } catch (...) {
    return nullptr;
  }
}

void CudaDevice::Memory::deallocateShared(void* memory) noexcept {
  if (Running* running = device_.running_.load(std::memory_order_acquire)) running->managed.deallocate(memory);
}

bool CudaDevice::Memory::write(void* to, const void* from, std::size_t size) noexcept {
  Running* running = device_.running_.load(std::memory_order_acquire);
  return running && running->services.copier.write(to, from, size);
}

} // namespace clotho::cuda

namespace clotho {

std::vector<Ref<Device>> makeCudaDevices() {
  std::vector<Ref<Device>> devices;
  const cuda::Driver* api = cuda::driver();
  int count = 0;
  if (!api || api->deviceGetCount(&count) != cuda::CUresult::Success) return devices;
  constexpr int kLeastCapability = 70; // the first with atomics that have an order
  for (int i = 0; i < count; ++i) {
    cuda::CUdevice device;
    if (api->deviceGet(&device, i) != cuda::CUresult::Success) continue;
    if (cuda::capabilityOf(*api, device) < kLeastCapability) {
      CLOTHO_LOG(Device, Info, "GPU %d is older than the first that Clotho uses, of compute capability 7.0", i);
      continue;
    }
    devices.push_back(Ref<cuda::CudaDevice>::adopt(new cuda::CudaDevice(*api, device)));
  }
  return devices;
}

} // namespace clotho
