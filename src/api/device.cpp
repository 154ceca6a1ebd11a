// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/command_buffer.hpp"
#include "api/external_handles.hpp"
#include "api/parse.hpp"
#include "api/svm_types.hpp"
#include "base/claims.hpp"
#include "base/later_headers.hpp"
#include "base/spirv.hpp"
#include "runtime/identity.hpp"
#include "runtime/objects/built_in_kernels.hpp"

#include <algorithm>
#include <ctime>

namespace clotho::api {

namespace {

/// Identifier that another operating system gives a device (cl_khr_device_uuid).
using Luid = std::array<cl_uchar, CL_LUID_SIZE_KHR>;

constexpr cl_device_fp_atomic_capabilities_ext kAllFpAtomics =
    CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |
    CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT |
    CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;

// The queries of cl_khr_extended_versioning are those of OpenCL 3.0, but for one.
static_assert(CL_DEVICE_NUMERIC_VERSION_KHR == CL_DEVICE_NUMERIC_VERSION &&
              CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR == CL_DEVICE_EXTENSIONS_WITH_VERSION &&
              CL_DEVICE_ILS_WITH_VERSION_KHR == CL_DEVICE_ILS_WITH_VERSION &&
              CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION_KHR == CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION);
// OpenCL 3.1 took over the numbers of the extensions' queries, and named CL_DEVICE_MAX_WORK_ITEM_SIZES anew.
static_assert(CL_DEVICE_UUID == CL_DEVICE_UUID_KHR && CL_DRIVER_UUID == CL_DRIVER_UUID_KHR &&
              CL_DEVICE_LUID_VALID == CL_DEVICE_LUID_VALID_KHR && CL_DEVICE_LUID == CL_DEVICE_LUID_KHR &&
              CL_DEVICE_NODE_MASK == CL_DEVICE_NODE_MASK_KHR && CL_UUID_SIZE == CL_UUID_SIZE_KHR &&
              CL_LUID_SIZE == CL_LUID_SIZE_KHR &&
              CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES == CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR &&
              CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT ==
                  CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR &&
              CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED ==
                  CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR &&
              CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS == CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR &&
              CL_DEVICE_SPIRV_EXTENSIONS == CL_DEVICE_SPIRV_EXTENSIONS_KHR &&
              CL_DEVICE_SPIRV_CAPABILITIES == CL_DEVICE_SPIRV_CAPABILITIES_KHR &&
              CL_DEVICE_MAX_WORK_GROUP_SIZES == CL_DEVICE_MAX_WORK_ITEM_SIZES);
static_assert(sizeof(cl_name_version_khr) == sizeof(cl_name_version) && sizeof(cl_version_khr) == sizeof(cl_version));

/// Elements of `size` bytes that fill the widest register; OpenCL's vectors end at 16.
cl_uint vectorWidth(const DeviceProperties& properties, cl_uint size) {
  return std::clamp<cl_uint>(properties.nativeVectorBytes / size, 1, 16);
}

cl_ulong hostTime() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<cl_ulong>(now.tv_sec) * 1'000'000'000 + static_cast<cl_ulong>(now.tv_nsec);
}

/// The ways to partition a device, 0 when there is none.
std::vector<cl_device_partition_property> partitionSchemes(Device& device) {
  if (device.properties().computeUnits < 2 || !device.root().partitioning()) return {0};
  std::vector<cl_device_partition_property> schemes = {CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS};
  if (partitionableDomains(device)) schemes.push_back(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
  return schemes;
}

/// The versions of SPIR-V that are taken, the oldest first.
constexpr auto kIlVersions = [] {
  std::array<cl_name_version, spirv::kNewestMinor + 1> versions{};
  for (cl_uint minor = 0; minor < versions.size(); ++minor)
    versions[minor] = {CL_MAKE_VERSION(1, minor, 0), {'S', 'P', 'I', 'R', '-', 'V'}};
  return versions;
}();

/// Text of CL_DEVICE_IL_VERSION: the versions of kIlVersions, separated by spaces (OpenCL 2.2, table 4.3).
std::string ilVersions() {
  std::string text;
  for (const cl_name_version& each : kIlVersions)
    text += (text.empty() ? "" : " ") + std::string(each.name) + "_1." + std::to_string(CL_VERSION_MINOR(each.version));
  return text;
}

/// Queries that came with OpenCL 3.0, but for those that cl_khr_extended_versioning has for older versions.
bool isOf30(cl_device_info name) {
  switch (name) {
  case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
  case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
  case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
  case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
  case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
  case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
  case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
  case CL_DEVICE_OPENCL_C_FEATURES:
  case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
  case CL_DEVICE_PIPE_SUPPORT:
  case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: return true;
  default: return false;
  }
}

/// What kernels may do with memory of the host's, all of which they reach (cl_intel_unified_shared_memory): with what
/// others change meanwhile only where fine grain is shared.
cl_device_unified_shared_memory_capabilities_intel unifiedAccess(const DeviceProperties& properties) {
  constexpr cl_device_unified_shared_memory_capabilities_intel kInTurn =
      CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
  constexpr cl_device_unified_shared_memory_capabilities_intel kAtOnce =
      CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
  return properties.svmCapabilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER ? kInTurn | kAtOnce : kInTurn;
}

/// Queues on the device and what kernels do with them; all 0 where they cannot (OpenCL 3.0, table 5).
void onDeviceQueueInfo(Device& device, cl_device_info name, InfoSink& out) {
  const bool has = device.deviceEnqueue() != nullptr;
  const OnDeviceQueueLimits& limits = device.properties().onDeviceQueues;
  switch (name) {
  case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: // NOLINT(bugprone-branch-clone): bits of two kinds, which happen to be
                                              // the same
    return out.put<cl_device_device_enqueue_capabilities>(
        has ? CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT : 0);
  case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
    return out.put<cl_command_queue_properties>(has ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE
                                                    : 0);
  case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE: return out.put<cl_uint>(has ? limits.preferredBytes : 0);
  case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE: return out.put<cl_uint>(has ? limits.maxBytes : 0);
  case CL_DEVICE_MAX_ON_DEVICE_QUEUES: return out.put<cl_uint>(has ? limits.queues : 0);
  default: return out.put<cl_uint>(has ? limits.events : 0);
  }
}

// NOLINTNEXTLINE(readability-function-size): a row a query
void deviceInfo(Device& device, cl_device_info name, InfoSink& out) {
  if (isOf30(name)) checkFollows30();
  const DeviceProperties& properties = device.properties();
  const ImageLimits& images = properties.images;
  // NOLINTBEGIN(bugprone-branch-clone): a row a query, also where answers agree
  switch (name) {
#define CLAIM_QUERY(query, type, value)                                                                                \
  case query: return out.put<type>(value);
#include "base/claims.def"
  case CL_DEVICE_AVAILABLE: return out.put<cl_bool>(device.isAvailable() ? CL_TRUE : CL_FALSE);
  case CL_DEVICE_HOST_UNIFIED_MEMORY: return out.put<cl_bool>(device.memory() ? CL_FALSE : CL_TRUE);
  case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
  case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
  case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
  case CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
    return out.put<cl_device_unified_shared_memory_capabilities_intel>(unifiedAccess(properties));
  case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL:
    return out.put<cl_device_unified_shared_memory_capabilities_intel>(
        properties.svmCapabilities & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM ? unifiedAccess(properties) : 0);
  case CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR:
    return out.put<cl_device_command_buffer_capabilities_khr>(
        kCommandBufferCapabilities |
        (device.deviceEnqueue() ? cl_bitfield{CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR} : 0));
  // The sequences of a command buffer wait for each other wherever they run, without the host's threads.
  case CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR:
    return out.put<cl_uint>(static_cast<cl_uint>(Process::get().platform().devices().size()));
  case CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR: {
    std::vector<cl_device_id> devices;
    for (const Ref<Device>& each : Process::get().platform().devices())
      devices.push_back(each.get());
    return out.list<cl_device_id>(devices);
  }
  case CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
  case CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR:
    return out.list<cl_external_memory_handle_type_khr>(kImportableMemory);
  case CL_DEVICE_SEMAPHORE_TYPES_KHR: return out.list<cl_semaphore_type_khr>(kSemaphoreTypes);
  case CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR:
    return out.list<cl_external_semaphore_handle_type_khr>(kImportableSemaphores);
  case CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
    return out.list<cl_external_semaphore_handle_type_khr>(kExportableSemaphores);
  case CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR: return out.list<cl_svm_capabilities_khr>(svmTypesOf(device));
  case CL_DEVICE_SVM_CAPABILITIES: return out.put<cl_device_svm_capabilities>(properties.svmCapabilities);
  case CL_DEVICE_TYPE: return out.put<cl_device_type>(properties.type);
  case CL_DEVICE_VENDOR_ID: return out.put<cl_uint>(properties.vendorId);
  case CL_DEVICE_NAME: return out.text(properties.name);
  case CL_DEVICE_VENDOR: return out.text(properties.vendor);
  case CL_DRIVER_VERSION: return out.text(properties.driverVersion);
  case CL_DEVICE_PROFILE: return out.text(claims::kProfile);
  case CL_DEVICE_VERSION: return out.text(Process::get().platform().versionText());
  case CL_DEVICE_NUMERIC_VERSION: return out.put<cl_version>(Process::get().platform().version());
  case CL_DEVICE_OPENCL_C_VERSION: return out.text(Process::get().platform().languageVersionText());
  case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR:
    return out.put<cl_version_khr>(Process::get().platform().languageVersion());
  case CL_DEVICE_OPENCL_C_ALL_VERSIONS: return out.list<cl_name_version>(Process::get().platform().languageVersions());
  case CL_DEVICE_OPENCL_C_FEATURES: return out.list<cl_name_version>(device.claims().features());
  case CL_DEVICE_EXTENSIONS: return out.text(device.claims().extensions());
  case CL_DEVICE_EXTENSIONS_WITH_VERSION: return out.list<cl_name_version>(device.claims().extensionVersions());
  case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: return out.text(claims::kConformance);
  case CL_DEVICE_UUID_KHR: return out.put<Uuid>(deviceUuid(device));
  case CL_DRIVER_UUID_KHR: return out.put<Uuid>(driverUuid(device));
  case CL_DEVICE_PLATFORM: return out.put<cl_platform_id>(&Process::get().platform());
  case CL_DEVICE_REFERENCE_COUNT: return out.put<cl_uint>(device.parent() ? device.apiRefs() : 1);
  case CL_DEVICE_PARENT_DEVICE: return out.put<cl_device_id>(device.parent());
  case CL_DEVICE_PARTITION_PROPERTIES: return out.list<cl_device_partition_property>(partitionSchemes(device));
  case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: return out.put<cl_uint>(properties.computeUnits);
  case CL_DEVICE_PARTITION_AFFINITY_DOMAIN: return out.put<cl_device_affinity_domain>(partitionableDomains(device));
  case CL_DEVICE_PARTITION_TYPE:
    if (!device.parent()) return out.put<cl_device_partition_property>(0);
    return out.list<cl_device_partition_property>(device.partition());
  case CL_DEVICE_BUILT_IN_KERNELS: return out.text(builtInKernelNames());
  case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION: return out.list<cl_name_version>(builtInKernelVersions());
  case CL_DEVICE_IL_VERSION: return out.text(ilVersions());
  case CL_DEVICE_ILS_WITH_VERSION: return out.list<cl_name_version>(kIlVersions);
  case CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR: return out.list<const char*>(spirv::kInstructionSets);
  case CL_DEVICE_SPIRV_EXTENSIONS_KHR: return out.list<const char*>(spirv::kExtensions);
  case CL_DEVICE_SPIRV_CAPABILITIES_KHR: return out.list<cl_uint>(spirv::kCapabilities);

  case CL_DEVICE_MAX_COMPUTE_UNITS: return out.put<cl_uint>(properties.computeUnits);
  case CL_DEVICE_MAX_CLOCK_FREQUENCY: return out.put<cl_uint>(properties.clockFrequency);
  case CL_DEVICE_MAX_WORK_GROUP_SIZE: return out.put<size_t>(properties.maxWorkGroupSize);
  case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
    std::array<size_t, 3> sizes;
    sizes.fill(properties.maxWorkGroupSize);
    return out.list<size_t>(sizes);
  }
  // As many as a work-group has work-items, in kernels whose sub-groups have one each.
  case CL_DEVICE_MAX_NUM_SUB_GROUPS: return out.put<cl_uint>(static_cast<cl_uint>(properties.maxWorkGroupSize));
  case CL_DEVICE_SUB_GROUP_SIZES_INTEL: {
    std::vector<size_t> sizes(std::begin(kSubGroupSizes), std::end(kSubGroupSizes));
    if (std::ranges::find(sizes, properties.subGroupSize) == sizes.end())
      sizes.insert(std::ranges::upper_bound(sizes, properties.subGroupSize), properties.subGroupSize);
    return out.list<size_t>(sizes);
  }
  case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return out.put<size_t>(properties.preferredGroupMultiple);
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR: return out.put<cl_uint>(vectorWidth(properties, 1));
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT: return out.put<cl_uint>(vectorWidth(properties, 2));
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: // computed with as float by most processors
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT: return out.put<cl_uint>(vectorWidth(properties, 4));
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: return out.put<cl_uint>(vectorWidth(properties, 8));

  case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
  case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
  case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
  case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
  case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
  case CL_DEVICE_MAX_ON_DEVICE_EVENTS: return onDeviceQueueInfo(device, name, out);

  case CL_DEVICE_PIPE_SUPPORT: return out.put<cl_bool>(properties.pipes.areSupported ? CL_TRUE : CL_FALSE);
  case CL_DEVICE_MAX_PIPE_ARGS: return out.put<cl_uint>(properties.pipes.args);
  case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: return out.put<cl_uint>(properties.pipes.activeReservations);
  case CL_DEVICE_PIPE_MAX_PACKET_SIZE: return out.put<cl_uint>(properties.pipes.packetSize);
  case CL_DEVICE_IMAGE_SUPPORT: return out.put<cl_bool>(images.areSupported ? CL_TRUE : CL_FALSE);
  case CL_DEVICE_MAX_READ_IMAGE_ARGS: return out.put<cl_uint>(images.readArgs);
  case CL_DEVICE_MAX_WRITE_IMAGE_ARGS: return out.put<cl_uint>(images.writeArgs);
  case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS: return out.put<cl_uint>(images.readWriteArgs);
  case CL_DEVICE_MAX_SAMPLERS: return out.put<cl_uint>(images.samplers);
  case CL_DEVICE_IMAGE2D_MAX_WIDTH: return out.put<size_t>(images.width);
  case CL_DEVICE_IMAGE2D_MAX_HEIGHT: return out.put<size_t>(images.height);
  case CL_DEVICE_IMAGE3D_MAX_WIDTH: return out.put<size_t>(images.width3D);
  case CL_DEVICE_IMAGE3D_MAX_HEIGHT: return out.put<size_t>(images.height3D);
  case CL_DEVICE_IMAGE3D_MAX_DEPTH: return out.put<size_t>(images.depth3D);
  case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: return out.put<size_t>(images.bufferTexels);
  case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: return out.put<size_t>(images.layers);
  case CL_DEVICE_IMAGE_PITCH_ALIGNMENT: return out.put<cl_uint>(images.pitchAlignment);
  case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT: return out.put<cl_uint>(images.baseAlignment);

  case CL_DEVICE_GLOBAL_MEM_SIZE: return out.put<cl_ulong>(properties.globalMemorySize);
  case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return out.put<cl_ulong>(properties.maxAllocationSize);
  case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
    // Constant memory is global memory that kernels do not write, and larger buffers work, too. But programs keep the
    // answer in an int, and index constants by int.
    return out.put<cl_ulong>(std::min<cl_ulong>(properties.maxAllocationSize, cl_ulong{1} << 30));
  case CL_DEVICE_LOCAL_MEM_SIZE: return out.put<cl_ulong>(properties.localMemorySize);
  case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
    return out.put<cl_device_mem_cache_type>(properties.globalCacheSize ? CL_READ_WRITE_CACHE : CL_NONE);
  case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: return out.put<cl_ulong>(properties.globalCacheSize);
  case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: return out.put<cl_uint>(properties.cacheLineSize);
  case CL_DEVICE_MEM_BASE_ADDR_ALIGN: return out.put<cl_uint>(properties.baseAddressAlignment * 8);
  case CL_DEVICE_PROFILING_TIMER_RESOLUTION: return out.put<size_t>(properties.profilingResolution);
  default: throw Error{CL_INVALID_VALUE, "unknown cl_device_info"};
  }
  // NOLINTEND(bugprone-branch-clone)
}

} // namespace

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id rawPlatform, cl_device_type type, cl_uint entries, cl_device_id* list,
                                  cl_uint* count) {
  return call([&] {
    Platform& platform = platformOrDefault(rawPlatform);
    check(list || count, CL_INVALID_VALUE, "nowhere to put the answer");
    check(!list || entries > 0, CL_INVALID_VALUE, "a list without entries");
    std::vector<cl_device_id> found = devicesOfType(platform, type);
    giveList(found, entries, list, count);
  });
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id rawDevice, cl_device_info name, size_t size, void* value,
                                   size_t* sizeReturned) {
  return call([&] {
    InfoSink out(size, value, sizeReturned);
    deviceInfo(*object(rawDevice), name, out);
  });
}

cl_int CL_API_CALL clCreateSubDevices(cl_device_id rawDevice, const cl_device_partition_property* properties,
                                      cl_uint entries, cl_device_id* list, cl_uint* count) {
  return call([&] {
    const Ref<Device> device = object(rawDevice);
    const PartitionPlan plan = planPartition(*device, properties);
    check(!list || entries >= plan.devices.size(), CL_INVALID_VALUE, "more sub-devices than the list has room for");
    if (list) {
      std::vector<Ref<SubDevice>> made;
      made.reserve(plan.devices.size());
      for (const UnitList& units : plan.devices)
        made.push_back(make<SubDevice>(*device, units, plan.properties));
      for (std::size_t i = 0; i < made.size(); ++i)
        list[i] = handOut(std::move(made[i]));
    }
    if (count) *count = static_cast<cl_uint>(plan.devices.size());
  });
}

cl_int CL_API_CALL clRetainDevice(cl_device_id rawDevice) {
  return call([&] { retain(rawDevice); });
}

cl_int CL_API_CALL clReleaseDevice(cl_device_id rawDevice) {
  return call([&] { release(rawDevice); });
}

cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id rawDevice, cl_ulong* deviceTime, cl_ulong* time) {
  return call([&] {
    const Ref<Device> device = object(rawDevice);
    check(deviceTime && time, CL_INVALID_VALUE, "nowhere to put a time stamp");
    *deviceTime = device->now();
    *time = hostTime();
  });
}

cl_int CL_API_CALL clGetHostTimer(cl_device_id rawDevice, cl_ulong* time) {
  return call([&] {
    checkHandle(rawDevice);
    check(time, CL_INVALID_VALUE, "nowhere to put the time stamp");
    *time = hostTime();
  });
}

} // namespace clotho::api
