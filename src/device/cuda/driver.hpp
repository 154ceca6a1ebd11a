// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// CUDA's driver API as far as the CUDA device uses it, without CUDA's headers: what is declared here has the values
/// and layouts of `cuda.h` (tests/cuda/driver_api_test.cpp compares them where that header is).
namespace clotho::cuda {

enum class CUresult : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  Deinitialised = 4, ///< the process ends
  NoDevice = 100,
  InvalidPtx = 218,
  NotReady = 600,
  LaunchTimeout = 702,
  PeerAccessAlreadyEnabled = 704,
};

using CUdevice = int;
inline constexpr CUdevice kHostDevice = -1; ///< the target of pages that go to the host
using CUdeviceptr = std::uint64_t;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUmemHandle = std::uint64_t;
using CUmemoryPool = struct CUmemPoolHandle_st*;
struct CUuuid {
  char bytes[16];
};

enum class DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxBlockDimX = 2,
  MaxBlockDimY = 3,
  MaxBlockDimZ = 4,
  WarpSize = 10,
  MaxPitch = 11,
  RegistersPerBlock = 12,
  ClockRate = 13, ///< kHz
  GpuOverlap = 15,
  MultiprocessorCount = 16,
  KernelExecTimeout = 17,
  Integrated = 18,
  EccEnabled = 32,
  PciBusId = 33,
  PciDeviceId = 34,
  L2CacheSize = 38,
  AsyncEngineCount = 40,
  PciDomainId = 50,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  HostNativeAtomicSupported = 86,
  PageableMemoryAccess = 88,
  ConcurrentManagedAccess = 89,
  MaxSharedMemoryPerBlockOptin = 97,
  VirtualMemoryManagementSupported = 102,
  MemoryPoolsSupported = 115,
};

enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  SharedSizeBytes = 1,
  LocalSizeBytes = 3,
  MaxDynamicSharedSizeBytes = 8,
};

enum class JitOption : int {
  InfoLogBuffer = 3,
  InfoLogBufferSizeBytes = 4,
  ErrorLogBuffer = 5,
  ErrorLogBufferSizeBytes = 6,
};

enum class MemoryType : int { Host = 1, Device = 2 };

/// CUDA_MEMCPY3D: `width` in bytes; heights are rows from one slice to the next.
struct Copy3D {
  std::size_t sourceX = 0, sourceY = 0, sourceZ = 0, sourceLod = 0;
  MemoryType sourceType;
  const void* sourceHost = nullptr;
  CUdeviceptr source = 0;
  void* sourceArray = nullptr;
  void* reserved0 = nullptr;
  std::size_t sourcePitch = 0, sourceHeight = 0;
  std::size_t targetX = 0, targetY = 0, targetZ = 0, targetLod = 0;
  MemoryType targetType;
  void* targetHost = nullptr;
  CUdeviceptr target = 0;
  void* targetArray = nullptr;
  void* reserved1 = nullptr;
  std::size_t targetPitch = 0, targetHeight = 0;
  std::size_t width = 0, height = 0, depth = 0;
};

/// CUDA_KERNEL_NODE_PARAMS_v1: one grid.
struct KernelNode {
  CUfunction function;
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  void** parameters;
  void** extra;
};

/// CUmemAllocationProp: memory without addresses, of the GPU with this number.
struct AllocationProperties {
  int allocationType = 1; ///< CU_MEM_ALLOCATION_TYPE_PINNED
  int handleTypes = 0;
  int locationType = 1; ///< CU_MEM_LOCATION_TYPE_DEVICE
  int locationId = 0;
  void* securityAttributes = nullptr;
  unsigned char flags[8] = {};
};

/// CUmemPoolProps: a pool of the memory of the GPU with this number.
struct PoolProperties {
  int allocationType = 1; ///< CU_MEM_ALLOCATION_TYPE_PINNED
  int handleTypes = 0;
  int locationType = 1; ///< CU_MEM_LOCATION_TYPE_DEVICE
  int locationId = 0;
  void* securityAttributes = nullptr;
  std::size_t maxSize = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};

/// CUmemAccessDesc: what a GPU may do with the memory of a pool of another one, or at addresses.
struct PoolAccess {
  int locationType = 1; ///< CU_MEM_LOCATION_TYPE_DEVICE
  int locationId = 0;
  int flags = 3; ///< CU_MEM_ACCESS_FLAGS_PROT_READWRITE
};

enum class PoolAttribute : int {
  ReuseAllowInternalDependencies = 3, ///< int
  ReleaseThreshold = 4,               ///< std::uint64_t: bytes
};

enum class MemoryAdvice : int { SetPreferredLocation = 3 };

// Flags of contexts, pinned memory, streams and events.
inline constexpr unsigned kScheduleBlocking = 4;
inline constexpr unsigned kHostAllocPortable = 1, kHostAllocMapped = 2;
inline constexpr unsigned kHostRegisterPortable = 1, kHostRegisterMapped = 2, kAttachGlobal = 1;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kWaitGreaterOrEqual = 0;
inline constexpr unsigned kWriteDefault = 0;
inline constexpr unsigned kEventDefault = 0, kEventDisableTiming = 2;
inline constexpr int kCaptureRelaxed = 2;

/// The functions of libcuda.so.1, once for the process.
struct Driver {
#define CALL(member, symbol, parameters) CUresult(*member) parameters = nullptr;
#include "device/cuda/driver_calls.def"
#undef CALL
  int version = 0; ///< CUDA's, as 1000 * major + 10 * minor
};

/// Opens the library and initialises it, when called for the first time. Null if there is none, or it is too old or
/// refuses to start; then the log says so, except where there is no library at all.
const Driver* driver() noexcept;

/// Name and meaning of an error, for logs.
std::string describe(CUresult error);

} // namespace clotho::cuda
