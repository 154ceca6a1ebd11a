// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A libcuda.so.1 without a GPU: memory is the host's, each stream is a thread that runs what was put into it in order,
// and an interpreter of PTX runs kernels (ptx/). It is strict where CUDA is lenient: calls without a context, unknown
// handles and memory that is not the device's give errors, and copies of memory that is not pinned keep the caller
// until they are done.
//
// Environment: FAKE_CUDA_GPUS, how many there are (1); FAKE_CUDA_VERSION (13000); FAKE_CUDA_LOST_AFTER, after how many
// launches every call fails as after a wild store; FAKE_CUDA_INIT, what cuInit returns; FAKE_CUDA_LAUNCH_US, how long
// each launch takes (0); FAKE_CUDA_NO_GRAPHS=1, none can be instantiated; FAKE_CUDA_POOLS, 0 if it has no memory pools;
// FAKE_CUDA_MEMORY_MIB (8192); FAKE_CUDA_PLACES, 0 if it has no memory without addresses; FAKE_CUDA_MANAGED, 0 if host
// and device cannot use managed memory at the same time; FAKE_CUDA_REFUSED, the number of a launch that is, from 0 on;
// FAKE_CUDA_DUMP, the folder that gets the text of each module. Tests find functions by dlsym, whose names begin with
// fakeCuda.
#include "fake_world.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace fake_cuda; // NOLINT(google-build-using-namespace): this is its main part
using clotho::cuda::Copy3D;
using clotho::cuda::CUdevice;
using clotho::cuda::DeviceAttribute;
using clotho::cuda::MemoryType;
using clotho::cuda::PoolAccess;
using clotho::cuda::PoolAttribute;
using clotho::cuda::PoolProperties;

namespace {

std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

std::atomic<int> writes{0}, unpinnedCopies{0}, accesses{0};
std::atomic<std::size_t> prefetchedToHost{0}, prefetchedToDevice{0};

struct Event {
  std::atomic<std::uint64_t> time{0};
};

bool isIn(const std::map<CUdeviceptr, std::size_t>& ranges, CUdeviceptr address, std::size_t bytes) {
  const std::lock_guard lock(world().mutex);
  auto next = ranges.upper_bound(address);
  if (next == ranges.begin()) return false;
  --next;
  return address - next->first < next->second && bytes <= next->second - (address - next->first);
}
bool isOfDevice(CUdeviceptr address, std::size_t bytes) { return isIn(world().memory, address, bytes); }
/// Whether a copy need not wait for the host.
bool isPinned(CUdeviceptr address, std::size_t bytes) {
  return isOfDevice(address, bytes) || isIn(world().pinned, address, bytes);
}
/// Puts a copy into the stream; waits for it unless both ends are pinned.
int putCopy(void* stream, bool isAsync, std::function<void()> task) {
  const int error = put(stream, std::move(task));
  if (error != kSuccess || isAsync) return error;
  ++unpinnedCopies;
  streamOf(stream)->synchronize();
  return error;
}

template <class T> T* at(CUdeviceptr address) { return reinterpret_cast<T*>(address); }

/// Frees memory; its size.
std::size_t release(CUdeviceptr address) {
  const std::lock_guard lock(world().mutex);
  const auto found = world().memory.find(address);
  const std::size_t bytes = found->second;
  world().memory.erase(found);
  world().used -= bytes;
  std::free(at<void>(address));
  return bytes;
}

/// Commands of an application may write the same place at once, as on a GPU: the thread sanitizer does not look.
template <class T> [[clang::no_sanitize("thread")]] void fillAsDevice(T* target, T value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    target[i] = value;
}

template <class T> int fill(CUdeviceptr target, T value, std::size_t count, void* stream) {
  if (target % sizeof(T) != 0 || !isOfDevice(target, count * sizeof(T))) return kInvalidValue;
  return put(stream, [=] { fillAsDevice(at<T>(target), value, count); });
}

} // namespace

// NOLINTBEGIN(readability-identifier-naming): CUDA's names
API cuInit(unsigned) {
  std::atexit([] { isOver = true; });
  return number("FAKE_CUDA_INIT", kSuccess);
}
/// How often a GPU was given access to another one's memory.
API fakeCudaAccesses() { return accesses; }
/// How many copies of memory that is not pinned there were.
API fakeCudaUnpinned() { return unpinnedCopies; }
/// Streams begin nothing until this is called with 0.
API fakeCudaHold(int held) {
  isHeld = held != 0;
  return kSuccess;
}

API cuDriverGetVersion(int* version) {
  *version = number("FAKE_CUDA_VERSION", 13000);
  return kSuccess;
}
API cuGetErrorName(int error, const char** name) {
  static const std::map<int, const char*> names = {
      {218, "CUDA_ERROR_INVALID_PTX"},        {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},     {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
      {716, "CUDA_ERROR_MISALIGNED_ADDRESS"}, {718, "CUDA_ERROR_INVALID_PC"}};
  const auto found = names.find(error);
  *name = found == names.end() ? "CUDA_ERROR" : found->second;
  return kSuccess;
}
API cuGetErrorString(int, const char** text) {
  *text = "of the fake driver";
  return kSuccess;
}

API cuDeviceGetCount(int* count) {
  *count = number("FAKE_CUDA_GPUS", 1);
  return kSuccess;
}
API cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return kSuccess;
}
API cuDeviceGetName(char* name, int size, CUdevice device) {
  std::strncpy(name, ("Fake GPU " + std::to_string(device)).c_str(), static_cast<std::size_t>(size));
  return kSuccess;
}
API cuDeviceGetUuid(char* uuid, CUdevice device) {
  std::memset(uuid, 'f', 16);
  uuid[0] = static_cast<char>(device);
  return kSuccess;
}
API cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  *bytes = memorySize();
  return kSuccess;
}
API cuDeviceGetAttribute(int* value, DeviceAttribute attribute, CUdevice device) {
  switch (attribute) {
  case DeviceAttribute::MaxThreadsPerBlock:
  case DeviceAttribute::MaxBlockDimX:
  case DeviceAttribute::MaxBlockDimY: *value = 1024; break;
  case DeviceAttribute::MaxBlockDimZ: *value = 64; break;
  case DeviceAttribute::WarpSize: *value = 32; break;
  case DeviceAttribute::RegistersPerBlock: *value = 65536; break;
  case DeviceAttribute::MaxPitch: *value = 0x7fffffff; break;
  case DeviceAttribute::ClockRate: *value = 1'980'000; break;
  case DeviceAttribute::MultiprocessorCount: *value = 132; break;
  case DeviceAttribute::PciBusId: *value = device; break;
  case DeviceAttribute::L2CacheSize: *value = 50 << 20; break;
  case DeviceAttribute::ComputeCapabilityMajor: *value = 9; break;
  case DeviceAttribute::ConcurrentManagedAccess: *value = number("FAKE_CUDA_MANAGED", 1); break;
  case DeviceAttribute::VirtualMemoryManagementSupported: *value = number("FAKE_CUDA_PLACES", 1); break;
  case DeviceAttribute::MemoryPoolsSupported: *value = number("FAKE_CUDA_POOLS", 1); break;
  case DeviceAttribute::MaxSharedMemoryPerBlockOptin: *value = kMostShared; break;
  default: *value = 0;
  }
  return kSuccess;
}

API cuCtxCreate_v2(void** context, unsigned, CUdevice device) {
  auto* made = new Context{device};
  currentContexts.push_back(made);
  *context = made;
  return kSuccess;
}
API cuCtxDestroy_v2(void*) { return kSuccess; }
API cuCtxPushCurrent_v2(void* context) {
  currentContexts.push_back(static_cast<Context*>(context));
  return kSuccess;
}
API cuCtxPopCurrent_v2(void** context) {
  if (currentContexts.empty()) return kInvalidContext;
  *context = currentContexts.back();
  currentContexts.pop_back();
  return kSuccess;
}
API cuCtxSetCurrent(void* context) {
  currentContexts = {static_cast<Context*>(context)};
  return kSuccess;
}

static int allocate(CUdeviceptr* address, std::size_t bytes, std::size_t most) {
  if (const int error = ready()) return error;
  if (bytes == 0) return kInvalidValue;
  World& all = world();
  const std::lock_guard lock(all.mutex);
  if (all.used + all.kept + bytes > most) return kOutOfMemory;
  void* memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  if (!memory) return kOutOfMemory;
  std::memset(memory, 0xdb, std::min(bytes, std::size_t{1} << 20)); // what was never moved here is to be recognised
  *address = reinterpret_cast<CUdeviceptr>(memory);
  all.memory[*address] = bytes;
  all.used += bytes;
  return kSuccess;
}

API cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) { return allocate(address, bytes, memorySize()); }

/// Waits for all streams, as CUDA does.
API cuMemFree_v2(CUdeviceptr address) {
  if (const int error = ready()) return error;
  std::vector<Stream*> streams;
  {
    const std::lock_guard lock(world().mutex);
    if (!world().memory.contains(address)) return kInvalidValue;
    streams.assign(world().streams.begin(), world().streams.end());
  }
  for (Stream* each : streams)
    each->synchronize();
  release(address);
  return kSuccess;
}
API cuMemPoolCreate(void** pool, const PoolProperties* properties) {
  if (const int error = ready()) return error;
  if (properties->allocationType != 1 || properties->locationType != 1) return kInvalidValue;
  *pool = new int(properties->locationId);
  return kSuccess;
}
API cuMemPoolSetAttribute(void* pool, PoolAttribute, void*) { return pool ? ready() : kInvalidValue; }
API cuDeviceCanAccessPeer(int* canAccess, CUdevice device, CUdevice peer) {
  *canAccess = device != peer;
  return kSuccess;
}
API cuCtxEnablePeerAccess(void* peer, unsigned) {
  const int error = ready();
  return error ? error : currentContexts.back() == peer ? kInvalidValue : kSuccess;
}
API cuMemPoolSetAccess(void* pool, const PoolAccess* access, std::size_t count) {
  if (!pool || count != 1 || access->locationId == *static_cast<int*>(pool)) return kInvalidValue;
  ++accesses;
  return ready();
}
API cuMemPoolTrimTo(void* pool, std::size_t) {
  if (!pool) return kInvalidValue;
  const std::lock_guard lock(world().mutex);
  world().kept = 0;
  return ready();
}
API cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, void* pool, void* stream) {
  if (!pool) return kInvalidValue;
  {
    // What is kept serves only as long as it is for less: so trimming is tried, too.
    const std::lock_guard lock(world().mutex);
    if (bytes <= world().kept / 2) world().kept -= bytes;
  }
  if (const int error = cuMemAlloc_v2(address, bytes)) return error;
  return put(stream, [] {}, false);
}
API cuMemFreeAsync(CUdeviceptr address, void* stream) {
  {
    const std::lock_guard lock(world().mutex);
    const auto found = world().memory.find(address);
    if (found == world().memory.end()) return kInvalidValue;
  }
  return put(
      stream,
      [address] {
        const std::size_t bytes = release(address);
        const std::lock_guard lock(world().mutex);
        world().kept += bytes;
      },
      false);
}
API cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  if (const int error = ready()) return error;
  *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!*memory) return kOutOfMemory;
  const std::lock_guard lock(world().mutex);
  world().pinned[reinterpret_cast<CUdeviceptr>(*memory)] = bytes;
  return kSuccess;
}
API cuMemFreeHost(void* memory) {
  {
    const std::lock_guard lock(world().mutex);
    if (world().pinned.erase(reinterpret_cast<CUdeviceptr>(memory)) == 0) return kInvalidValue;
  }
  std::free(memory);
  return kSuccess;
}
API cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned) {
  if (const int error = ready()) return error;
  const std::lock_guard lock(world().mutex);
  world().pinned[reinterpret_cast<CUdeviceptr>(memory)] = bytes;
  return kSuccess;
}
API cuMemHostUnregister(void* memory) {
  const std::lock_guard lock(world().mutex);
  return world().pinned.erase(reinterpret_cast<CUdeviceptr>(memory)) != 0 ? ready() : kInvalidValue;
}
API cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
  return flags == 1 ? allocate(address, bytes, SIZE_MAX) : kInvalidValue; // more than there is, as CUDA does
}
API cuMemAdvise(CUdeviceptr address, std::size_t bytes, int, CUdevice) {
  return isOfDevice(address, bytes) ? ready() : kInvalidValue;
}
API cuMemPrefetchAsync(CUdeviceptr address, std::size_t bytes, CUdevice device, void* stream) {
  if (!isOfDevice(address, bytes) || device < -1 || device >= number("FAKE_CUDA_GPUS", 1)) return kInvalidValue;
  return put(stream, [=] { (device == -1 ? prefetchedToHost : prefetchedToDevice) += bytes; });
}
/// How many bytes of managed memory were moved ahead, and are moved by now: to GPUs, or to the host.
API fakeCudaPrefetched(int toHost) { return static_cast<int>(toHost ? prefetchedToHost : prefetchedToDevice); }
API cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* memory, unsigned) {
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return kSuccess;
}

API cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, std::size_t bytes, void* stream) {
  if (!isOfDevice(target, bytes) && !isOfDevice(source, bytes)) return kInvalidValue;
  return putCopy(stream, isPinned(target, bytes) && isPinned(source, bytes),
                 [=] { std::memcpy(at<void>(target), at<void>(source), bytes); });
}
API cuMemcpyDtoHAsync_v2(void* target, CUdeviceptr source, std::size_t bytes, void* stream) {
  if (!isOfDevice(source, bytes)) return kInvalidValue;
  return putCopy(stream, isPinned(reinterpret_cast<CUdeviceptr>(target), bytes),
                 [=] { std::memcpy(target, at<void>(source), bytes); });
}
API cuMemcpy3DAsync_v2(const Copy3D* copy, void* stream) {
  const Copy3D it = *copy;
  if (it.width > it.sourcePitch || it.width > it.targetPitch) return kInvalidValue;
  const auto* source =
      it.sourceType == MemoryType::Device ? at<char>(it.source) : static_cast<const char*>(it.sourceHost);
  auto* target = it.targetType == MemoryType::Device ? at<char>(it.target) : static_cast<char*>(it.targetHost);
  const auto bytesOf = [&](std::size_t pitch, std::size_t height) {
    return ((it.depth - 1) * height + it.height - 1) * pitch + it.width;
  };
  if (it.sourceType == MemoryType::Device && !isOfDevice(it.source, bytesOf(it.sourcePitch, it.sourceHeight)))
    return kInvalidValue;
  if (it.targetType == MemoryType::Device && !isOfDevice(it.target, bytesOf(it.targetPitch, it.targetHeight)))
    return kInvalidValue;
  const bool isAsync = isPinned(reinterpret_cast<CUdeviceptr>(source), bytesOf(it.sourcePitch, it.sourceHeight)) &&
                       isPinned(reinterpret_cast<CUdeviceptr>(target), bytesOf(it.targetPitch, it.targetHeight));
  return putCopy(stream, isAsync, [=] {
    for (std::size_t z = 0; z < it.depth; ++z)
      for (std::size_t y = 0; y < it.height; ++y)
        std::memcpy(target + (z * it.targetHeight + y) * it.targetPitch,
                    source + (z * it.sourceHeight + y) * it.sourcePitch, it.width);
  });
}
API cuMemsetD8Async(CUdeviceptr target, unsigned char value, std::size_t count, void* stream) {
  return fill(target, value, count, stream);
}
API cuMemsetD16Async(CUdeviceptr target, unsigned short value, std::size_t count, void* stream) {
  return fill(target, value, count, stream);
}
API cuMemsetD32Async(CUdeviceptr target, unsigned value, std::size_t count, void* stream) {
  return fill(target, value, count, stream);
}
API cuMemsetD2D32Async(CUdeviceptr target, std::size_t pitch, unsigned value, std::size_t width, std::size_t height,
                       void* stream) {
  if (pitch % 4 != 0 || width * 4 > pitch || !isOfDevice(target, (height - 1) * pitch + width * 4))
    return kInvalidValue;
  return put(stream, [=] {
    for (std::size_t y = 0; y < height; ++y)
      std::fill_n(at<unsigned>(target + y * pitch), width, value);
  });
}

API cuStreamCreate(void** stream, unsigned) {
  if (const int error = ready()) return error;
  auto* made = new Stream;
  const std::lock_guard lock(world().mutex);
  world().streams.insert(made);
  *stream = made;
  return kSuccess;
}
API cuStreamDestroy_v2(void* handle) {
  Stream* stream = streamOf(handle);
  if (!stream) return kInvalidHandle;
  {
    const std::lock_guard lock(world().mutex);
    world().streams.erase(stream);
  }
  delete stream;
  return kSuccess;
}
API cuStreamQuery(void* handle) {
  if (const int error = ready()) return error;
  Stream* stream = streamOf(handle);
  return !stream ? kInvalidHandle : stream->isIdle() ? kSuccess : kNotReady;
}
API cuStreamSynchronize(void* handle) {
  if (const int error = ready()) return error;
  Stream* stream = streamOf(handle);
  if (!stream) return kInvalidHandle;
  stream->synchronize();
  return ready();
}
API cuStreamWriteValue64_v2(void* stream, CUdeviceptr address, std::uint64_t value, unsigned) {
  ++writes;
  return put(stream, [=] { __atomic_store_n(at<std::uint64_t>(address), value, __ATOMIC_RELEASE); });
}
API cuStreamWaitValue64_v2(void* stream, CUdeviceptr address, std::uint64_t value, unsigned) {
  return put(stream, [=] {
    while (!isLost && __atomic_load_n(at<std::uint64_t>(address), __ATOMIC_ACQUIRE) < value)
      std::this_thread::yield();
  });
}

API cuEventCreate(void** event, unsigned) {
  *event = new Event;
  return ready();
}
API cuEventDestroy_v2(void* event) {
  delete static_cast<Event*>(event);
  return kSuccess;
}
API cuEventRecord(void* event, void* stream) {
  static_cast<Event*>(event)->time = 0;
  return put(stream, [event] { static_cast<Event*>(event)->time = now(); });
}
API cuEventQuery(void* event) {
  if (const int error = ready()) return error;
  return static_cast<Event*>(event)->time == 0 ? kNotReady : kSuccess;
}
API cuEventSynchronize(void* event) {
  while (!isLost && static_cast<Event*>(event)->time == 0)
    std::this_thread::yield();
  return ready();
}
API cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  const std::uint64_t from = static_cast<Event*>(start)->time, to = static_cast<Event*>(end)->time;
  if (from == 0 || to == 0) return kNotReady;
  *milliseconds = static_cast<float>(static_cast<double>(static_cast<std::int64_t>(to - from)) / 1e6);
  return ready();
}

API fakeCudaWrites() { return writes; }
// NOLINTEND(readability-identifier-naming)
