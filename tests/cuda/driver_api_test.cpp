// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares what device/cuda/driver.hpp declares with CUDA's own header, where there is one.
#include "device/cuda/driver.hpp"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#define __CUDA_API_VERSION_INTERNAL // no macros that rename functions
#include <cuda.h>

#include <type_traits>

namespace clotho::cuda {
namespace {

/// What a type is to callers that do not know its name.
template <class T> struct PlainOf {
  using Type = T;
};
template <class T>
  requires std::is_enum_v<T>
struct PlainOf<T> {
  using Type = std::conditional_t<sizeof(T) == sizeof(int), int, T>;
};
template <class T>
  requires std::is_pointer_v<T>
struct PlainOf<T> {
  using Type = void*;
};
template <class T>
  requires std::is_integral_v<T>
struct PlainOf<T> {
  using Type = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, int, T>>;
};
template <class T> using Plain = typename PlainOf<T>::Type;

template <class T> struct Signature;
template <class R, class... Args> struct Signature<R (*)(Args...)> {
  using Type = Plain<R> (*)(Plain<Args>...);
};

// cuMemcpyAsync takes device addresses, and the host's where they are one with these.
#define CALL(member, symbol, parameters)                                                                               \
  static_assert(std::is_same_v<Signature<decltype(&::symbol)>::Type, Signature<decltype(Driver::member)>::Type>,       \
                #symbol " has other parameters");
#include "device/cuda/driver_calls.def"
#undef CALL

static_assert(sizeof(Copy3D) == sizeof(CUDA_MEMCPY3D));
static_assert(offsetof(Copy3D, sourceType) == offsetof(CUDA_MEMCPY3D, srcMemoryType));
static_assert(offsetof(Copy3D, sourceHost) == offsetof(CUDA_MEMCPY3D, srcHost));
static_assert(offsetof(Copy3D, source) == offsetof(CUDA_MEMCPY3D, srcDevice));
static_assert(offsetof(Copy3D, sourcePitch) == offsetof(CUDA_MEMCPY3D, srcPitch));
static_assert(offsetof(Copy3D, sourceHeight) == offsetof(CUDA_MEMCPY3D, srcHeight));
static_assert(offsetof(Copy3D, targetType) == offsetof(CUDA_MEMCPY3D, dstMemoryType));
static_assert(offsetof(Copy3D, targetHost) == offsetof(CUDA_MEMCPY3D, dstHost));
static_assert(offsetof(Copy3D, target) == offsetof(CUDA_MEMCPY3D, dstDevice));
static_assert(offsetof(Copy3D, targetPitch) == offsetof(CUDA_MEMCPY3D, dstPitch));
static_assert(offsetof(Copy3D, targetHeight) == offsetof(CUDA_MEMCPY3D, dstHeight));
static_assert(offsetof(Copy3D, width) == offsetof(CUDA_MEMCPY3D, WidthInBytes));
static_assert(offsetof(Copy3D, depth) == offsetof(CUDA_MEMCPY3D, Depth));
static_assert(sizeof(KernelNode) == sizeof(CUDA_KERNEL_NODE_PARAMS_v1));
static_assert(offsetof(KernelNode, blockX) == offsetof(CUDA_KERNEL_NODE_PARAMS_v1, blockDimX));
static_assert(offsetof(KernelNode, sharedBytes) == offsetof(CUDA_KERNEL_NODE_PARAMS_v1, sharedMemBytes));
static_assert(offsetof(KernelNode, parameters) == offsetof(CUDA_KERNEL_NODE_PARAMS_v1, kernelParams));
static_assert(sizeof(AllocationProperties) == sizeof(CUmemAllocationProp));
static_assert(offsetof(AllocationProperties, locationId) == offsetof(CUmemAllocationProp, location) + sizeof(int));
static_assert(offsetof(AllocationProperties, flags) == offsetof(CUmemAllocationProp, allocFlags));
static_assert(sizeof(PoolProperties) == sizeof(CUmemPoolProps));
static_assert(offsetof(PoolProperties, locationId) == offsetof(CUmemPoolProps, location) + sizeof(int));
static_assert(offsetof(PoolProperties, maxSize) == offsetof(CUmemPoolProps, maxSize));
static_assert(offsetof(PoolProperties, reserved) == offsetof(CUmemPoolProps, reserved));
static_assert(sizeof(PoolAccess) == sizeof(CUmemAccessDesc));
static_assert(offsetof(PoolAccess, locationId) == offsetof(CUmemAccessDesc, location) + sizeof(int));
static_assert(offsetof(PoolAccess, flags) == offsetof(CUmemAccessDesc, flags));
static_assert(sizeof(CUuuid) == sizeof(::CUuuid));

template <class Own, class Theirs> constexpr bool areEqual(Own own, Theirs theirs) {
  return static_cast<long>(own) == static_cast<long>(theirs);
}
static_assert(areEqual(CUresult::Success, CUDA_SUCCESS));
static_assert(areEqual(CUresult::OutOfMemory, CUDA_ERROR_OUT_OF_MEMORY));
static_assert(areEqual(CUresult::Deinitialised, CUDA_ERROR_DEINITIALIZED));
static_assert(areEqual(CUresult::NoDevice, CUDA_ERROR_NO_DEVICE));
static_assert(areEqual(CUresult::InvalidPtx, CUDA_ERROR_INVALID_PTX));
static_assert(areEqual(CUresult::NotReady, CUDA_ERROR_NOT_READY));
static_assert(areEqual(kHostDevice, CU_DEVICE_CPU));
static_assert(areEqual(CUresult::LaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT));
static_assert(areEqual(CUresult::PeerAccessAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED));
static_assert(areEqual(DeviceAttribute::MaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
static_assert(areEqual(DeviceAttribute::MaxBlockDimX, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X));
static_assert(areEqual(DeviceAttribute::MaxBlockDimZ, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z));
static_assert(areEqual(DeviceAttribute::WarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE));
static_assert(areEqual(DeviceAttribute::RegistersPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK));
static_assert(areEqual(DeviceAttribute::GpuOverlap, CU_DEVICE_ATTRIBUTE_GPU_OVERLAP));
static_assert(areEqual(DeviceAttribute::KernelExecTimeout, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT));
static_assert(areEqual(DeviceAttribute::Integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED));
static_assert(areEqual(DeviceAttribute::AsyncEngineCount, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT));
static_assert(areEqual(DeviceAttribute::EccEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED));
static_assert(areEqual(DeviceAttribute::MaxPitch, CU_DEVICE_ATTRIBUTE_MAX_PITCH));
static_assert(areEqual(DeviceAttribute::ClockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
static_assert(areEqual(DeviceAttribute::MultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
static_assert(areEqual(DeviceAttribute::PciBusId, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID));
static_assert(areEqual(DeviceAttribute::PciDeviceId, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
static_assert(areEqual(DeviceAttribute::PciDomainId, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID));
static_assert(areEqual(DeviceAttribute::L2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
static_assert(areEqual(DeviceAttribute::ComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
static_assert(areEqual(DeviceAttribute::ComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
static_assert(areEqual(DeviceAttribute::MaxSharedMemoryPerBlockOptin,
                       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
static_assert(areEqual(DeviceAttribute::HostNativeAtomicSupported, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED));
static_assert(areEqual(DeviceAttribute::PageableMemoryAccess, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS));
static_assert(areEqual(DeviceAttribute::ConcurrentManagedAccess, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS));
static_assert(areEqual(DeviceAttribute::MemoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED));
static_assert(areEqual(DeviceAttribute::VirtualMemoryManagementSupported,
                       CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED));
static_assert(areEqual(PoolAccess{}.flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
static_assert(areEqual(PoolProperties{}.allocationType, CU_MEM_ALLOCATION_TYPE_PINNED));
static_assert(areEqual(PoolProperties{}.handleTypes, CU_MEM_HANDLE_TYPE_NONE));
static_assert(areEqual(PoolProperties{}.locationType, CU_MEM_LOCATION_TYPE_DEVICE));
static_assert(areEqual(PoolAttribute::ReuseAllowInternalDependencies,
                       CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES));
static_assert(areEqual(PoolAttribute::ReleaseThreshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD));
static_assert(areEqual(FunctionAttribute::MaxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
static_assert(areEqual(FunctionAttribute::SharedSizeBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
static_assert(areEqual(FunctionAttribute::LocalSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
static_assert(areEqual(FunctionAttribute::MaxDynamicSharedSizeBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
static_assert(areEqual(JitOption::ErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER));
static_assert(areEqual(JitOption::ErrorLogBufferSizeBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES));
static_assert(areEqual(JitOption::InfoLogBuffer, CU_JIT_INFO_LOG_BUFFER));
static_assert(areEqual(JitOption::InfoLogBufferSizeBytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES));
static_assert(areEqual(MemoryType::Host, CU_MEMORYTYPE_HOST));
static_assert(areEqual(MemoryType::Device, CU_MEMORYTYPE_DEVICE));
static_assert(areEqual(kScheduleBlocking, CU_CTX_SCHED_BLOCKING_SYNC));
static_assert(areEqual(kHostAllocPortable, CU_MEMHOSTALLOC_PORTABLE));
static_assert(areEqual(kHostAllocMapped, CU_MEMHOSTALLOC_DEVICEMAP));
static_assert(areEqual(kHostRegisterPortable, CU_MEMHOSTREGISTER_PORTABLE));
static_assert(areEqual(kHostRegisterMapped, CU_MEMHOSTREGISTER_DEVICEMAP));
static_assert(areEqual(kAttachGlobal, CU_MEM_ATTACH_GLOBAL));
static_assert(areEqual(MemoryAdvice::SetPreferredLocation, CU_MEM_ADVISE_SET_PREFERRED_LOCATION));
static_assert(areEqual(kStreamNonBlocking, CU_STREAM_NON_BLOCKING));
static_assert(areEqual(kWaitGreaterOrEqual, CU_STREAM_WAIT_VALUE_GEQ));
static_assert(areEqual(kWriteDefault, CU_STREAM_WRITE_VALUE_DEFAULT));
static_assert(areEqual(kEventDefault, CU_EVENT_DEFAULT));
static_assert(areEqual(kCaptureRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED));
static_assert(areEqual(kEventDisableTiming, CU_EVENT_DISABLE_TIMING));

TEST(DriverApiTest, AgreesWithCudasHeader) { SUCCEED() << "by compilation"; }

} // namespace
} // namespace clotho::cuda

#else

TEST(DriverApiTest, AgreesWithCudasHeader) { GTEST_SKIP() << "there is no cuda.h"; }

#endif
