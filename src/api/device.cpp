// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/command_buffer.hpp"
#include "api/external_handles.hpp"
#include "api/parse.hpp"
#include "api/svm_types.hpp"
#include "base/claims.hpp"
#include "base/clock.hpp"
#include "base/later_headers.hpp"
#include "base/options.hpp"
#include "base/spirv.hpp"
#include "runtime/identity.hpp"
#include "runtime/objects/built_in_kernels.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

namespace clotho::api {

namespace {

/// Identifier that another operating system gives a device (cl_khr_device_uuid).
using Luid = std::array<cl_uchar, CL_LUID_SIZE_KHR>;

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

/// The row of the extension that a query came with, for extensions that some devices do not claim.
std::optional<std::size_t> extensionOf(cl_device_info name) {
  using claims::rowOf;
  switch (name) {
  case CL_DEVICE_UUID_KHR:
  case CL_DRIVER_UUID_KHR:
  case CL_DEVICE_LUID_VALID_KHR:
  case CL_DEVICE_LUID_KHR:
  case CL_DEVICE_NODE_MASK_KHR: return rowOf("cl_khr_device_uuid");
  case CL_DEVICE_PCI_BUS_INFO_KHR: return rowOf("cl_khr_pci_bus_info");
  case CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV:
  case CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV:
  case CL_DEVICE_REGISTERS_PER_BLOCK_NV:
  case CL_DEVICE_WARP_SIZE_NV:
  case CL_DEVICE_GPU_OVERLAP_NV:
  case CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV:
  case CL_DEVICE_INTEGRATED_MEMORY_NV:
  case CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV:
  case CL_DEVICE_PCI_BUS_ID_NV:
  case CL_DEVICE_PCI_SLOT_ID_NV:
  case CL_DEVICE_PCI_DOMAIN_ID_NV: return rowOf("cl_nv_device_attribute_query");
  case CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT:
  case CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT:
  case CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: return rowOf("cl_ext_float_atomics");
  case CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR:
  case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR:
  case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR:
    return rowOf("cl_khr_integer_dot_product");
  case CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT: return rowOf("cl_ext_cxx_for_opencl");
  case CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR: return rowOf("cl_khr_subgroup_named_barrier");
  case CL_DEVICE_SUB_GROUP_SIZES_INTEL: return rowOf("cl_intel_required_subgroup_size");
  case CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR: return rowOf("cl_khr_kernel_clock");
  case CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR:
  case CL_DEVICE_SPIRV_EXTENSIONS_KHR:
  case CL_DEVICE_SPIRV_CAPABILITIES_KHR: return rowOf("cl_khr_spirv_queries");
  case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
  case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
  case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
  case CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
  case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL: return rowOf("cl_intel_unified_shared_memory");
  case CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR: return rowOf("cl_khr_unified_svm");
  case CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR:
  case CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR:
  case CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR: return rowOf("cl_khr_command_buffer");
  case CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR:
  case CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR: return rowOf("cl_khr_command_buffer_multi_device");
  case CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: return rowOf("cl_khr_command_buffer_mutable_dispatch");
  case CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
  case CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR: return rowOf("cl_khr_external_memory");
  case CL_DEVICE_SEMAPHORE_TYPES_KHR: return rowOf("cl_khr_semaphore");
  case CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR:
  case CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: return rowOf("cl_khr_external_semaphore");
  default: return {};
  }
}

/// The devices whose queues may have their commands in one command buffer.
std::vector<cl_device_id> syncDevices() {
  std::vector<cl_device_id> devices;
  for (const Ref<Device>& each : Process::get().platform().devices())
    if (each->claims().has(claims::rowOf("cl_khr_command_buffer_multi_device"))) devices.push_back(each.get());
  return devices;
}

/// `bits`, each of which stands for a feature of OpenCL C, of those that the device claims.
cl_bitfield claimedOf(const Device& device, std::initializer_list<std::pair<std::size_t, cl_bitfield>> bits) {
  cl_bitfield claimed = 0;
  for (const auto& [row, bit] : bits)
    if (device.claims().has(row)) claimed |= bit;
  return claimed;
}

/// Images, samplers and pipes: a device that has none has limits of 0 (OpenCL 3.0, table 5).
template <class T> T limitOf(bool areSupported, T limit) { return areSupported ? limit : T{0}; }

cl_uint attributeOf(const NvidiaAttributes& attributes, cl_device_info name) {
  switch (name) {
  case CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV: return attributes.computeCapabilityMajor;
  case CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV: return attributes.computeCapabilityMinor;
  case CL_DEVICE_REGISTERS_PER_BLOCK_NV: return attributes.registersPerBlock;
  case CL_DEVICE_WARP_SIZE_NV: return attributes.warpSize;
  case CL_DEVICE_GPU_OVERLAP_NV: return attributes.overlapsCopies ? CL_TRUE : CL_FALSE;
  case CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV: return attributes.hasKernelTimeout ? CL_TRUE : CL_FALSE;
  case CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV: return attributes.copyEngines;
  default: return attributes.isMemoryIntegrated ? CL_TRUE : CL_FALSE;
  }
}

/// Applications keep binaries of programs by this version. Those without checks would not be checked, and captures
/// would lack the source.
std::string driverVersionOf(const DeviceProperties& properties) {
  return properties.driverVersion + (options().check.empty() ? "" : "+check") +
         (options().capture.empty() ? "" : "+capture");
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
  using claims::rowOf;
  if (isOf30(name)) checkFollows30();
  if (const std::optional<std::size_t> extension = extensionOf(name))
    check(device.claims().has(*extension), CL_INVALID_VALUE, "a query of an extension that the device does not have");
  const DeviceProperties& properties = device.properties();
  const ImageLimits& images = properties.images;
  const auto ofImages = [&](auto limit) { return limitOf(images.areSupported, limit); };
  const auto ofPipes = [&](auto limit) { return limitOf(properties.pipes.areSupported, limit); };
  const auto claims = [&](std::size_t row) -> cl_bool { return device.claims().has(row) ? CL_TRUE : CL_FALSE; };
  // NOLINTBEGIN(bugprone-branch-clone): a row a query, also where answers agree
  switch (name) {
#define CLAIM_QUERY(query, type, value)                                                                                \
  case query: return out.put<type>(value);
#include "base/claims.def"
  case CL_DEVICE_HOST_UNIFIED_MEMORY: return out.put<cl_bool>(properties.isMemoryUnified ? CL_TRUE : CL_FALSE);
  case CL_DEVICE_AVAILABLE: return out.put<cl_bool>(device.isAvailable() ? CL_TRUE : CL_FALSE);
  case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
    return out.put<cl_device_unified_shared_memory_capabilities_intel>(properties.unifiedMemory.host);
  case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
    return out.put<cl_device_unified_shared_memory_capabilities_intel>(properties.unifiedMemory.device);
  case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
    return out.put<cl_device_unified_shared_memory_capabilities_intel>(properties.unifiedMemory.sharedSingle);
  case CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
    return out.put<cl_device_unified_shared_memory_capabilities_intel>(properties.unifiedMemory.sharedCross);
  case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL:
    return out.put<cl_device_unified_shared_memory_capabilities_intel>(properties.unifiedMemory.sharedSystem);
  case CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR:
    return out.put<cl_device_command_buffer_capabilities_khr>(
        kCommandBufferCapabilities |
        (device.deviceEnqueue() ? cl_bitfield{CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR} : 0));
  // The sequences of a command buffer wait for each other wherever they run, without the host's threads.
  case CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR:
    return out.put<cl_uint>(static_cast<cl_uint>(syncDevices().size()));
  case CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR: return out.list<cl_device_id>(syncDevices());
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
  case CL_DRIVER_VERSION: return out.text(driverVersionOf(properties));
  case CL_DEVICE_PROFILE: return out.text(claims::kProfile);
  case CL_DEVICE_VERSION: return out.text(Process::get().platform().versionText());
  case CL_DEVICE_NUMERIC_VERSION: return out.put<cl_version>(Process::get().platform().version());
  case CL_DEVICE_OPENCL_C_VERSION: return out.text(Process::get().platform().languageVersionText(device));
  case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR:
    return out.put<cl_version_khr>(Process::get().platform().languageVersion(device));
  case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
    return out.list<cl_name_version>(Process::get().platform().languageVersions(device));
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
  case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
    return out.put<cl_uint>(device.root().partitioning() ? properties.computeUnits : 0);
  case CL_DEVICE_PARTITION_AFFINITY_DOMAIN: return out.put<cl_device_affinity_domain>(partitionableDomains(device));
  case CL_DEVICE_PARTITION_TYPE:
    if (!device.parent()) return out.put<cl_device_partition_property>(0);
    return out.list<cl_device_partition_property>(device.partition());
  case CL_DEVICE_BUILT_IN_KERNELS: return out.text(builtInKernelNames());
  case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION: return out.list<cl_name_version>(builtInKernelVersions());
  case CL_DEVICE_IL_VERSION: return out.text(claims(rowOf("cl_khr_il_program")) ? ilVersions() : "");
  case CL_DEVICE_ILS_WITH_VERSION:
    return out.list<cl_name_version>(claims(rowOf("cl_khr_il_program")) ? std::span(kIlVersions)
                                                                        : std::span<const cl_name_version>());
  case CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR: return out.list<const char*>(spirv::kInstructionSets);
  case CL_DEVICE_SPIRV_EXTENSIONS_KHR: return out.list<const char*>(spirv::kExtensions);
  case CL_DEVICE_SPIRV_CAPABILITIES_KHR: return out.list<cl_uint>(spirv::kCapabilities);

  case CL_DEVICE_MAX_COMPUTE_UNITS: return out.put<cl_uint>(properties.computeUnits);
  case CL_DEVICE_MAX_CLOCK_FREQUENCY: return out.put<cl_uint>(properties.clockFrequency);
  case CL_DEVICE_MAX_WORK_GROUP_SIZE: return out.put<size_t>(properties.maxWorkGroupSize);
  case CL_DEVICE_MAX_WORK_ITEM_SIZES: return out.list<size_t>(properties.maxWorkItemSizes);
  case CL_DEVICE_MAX_NUM_SUB_GROUPS: return out.put<cl_uint>(properties.maxSubGroups);
  case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
    return out.put<cl_bool>(properties.subGroupsProgress ? CL_TRUE : CL_FALSE);
  case CL_DEVICE_SUB_GROUP_SIZES_INTEL: return out.list<size_t>(properties.subGroupSizes);
  case CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR: return out.put<cl_uint>(properties.maxNamedBarriers);
  case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
    return out.put<cl_bool>(claims(rowOf("__opencl_c_work_group_collective_functions")));
  case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
    return out.put<cl_bool>(claims(rowOf("__opencl_c_generic_address_space")));
  case CL_DEVICE_EXECUTION_CAPABILITIES: return out.put<cl_device_exec_capabilities>(properties.executionCapabilities);
  case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES: return out.put<cl_command_queue_properties>(properties.queueProperties);
  case CL_DEVICE_MAX_PARAMETER_SIZE: return out.put<size_t>(properties.maxParameterSize);
  case CL_DEVICE_PRINTF_BUFFER_SIZE: return out.put<size_t>(properties.printfBufferSize);
  case CL_DEVICE_SINGLE_FP_CONFIG: return out.put<cl_device_fp_config>(properties.floats.single);
  case CL_DEVICE_DOUBLE_FP_CONFIG: return out.put<cl_device_fp_config>(properties.floats.doubles);
  case CL_DEVICE_HALF_FP_CONFIG: return out.put<cl_device_fp_config>(properties.floats.half);
  case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES: return out.put<cl_device_atomic_capabilities>(properties.atomics);
  case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: return out.put<cl_device_atomic_capabilities>(properties.fences);
  case CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT:
    return out.put<cl_device_fp_atomic_capabilities_ext>(properties.floats.singleAtomics);
  case CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT:
    return out.put<cl_device_fp_atomic_capabilities_ext>(properties.floats.doubleAtomics);
  case CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT:
    return out.put<cl_device_fp_atomic_capabilities_ext>(properties.floats.halfAtomics);
  case CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR:
    return out.put<cl_device_integer_dot_product_capabilities_khr>(claimedOf(
        device,
        {{rowOf("__opencl_c_integer_dot_product_input_4x8bit_packed"),
          CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR},
         {rowOf("__opencl_c_integer_dot_product_input_4x8bit"), CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR}}));
  case CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR:
    return out.put<cl_device_kernel_clock_capabilities_khr>(claimedOf(
        device, {{rowOf("__opencl_c_kernel_clock_scope_device"), CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR},
                 {rowOf("__opencl_c_kernel_clock_scope_work_group"), CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR},
                 {rowOf("__opencl_c_kernel_clock_scope_sub_group"), CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR}}));
  case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE: return out.put<cl_uint>(claims(rowOf("cl_khr_fp64")));
  case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF: return out.put<cl_uint>(claims(rowOf("cl_khr_fp16")));
  case CL_DEVICE_PCI_BUS_INFO_KHR:
    check(properties.pciBus.has_value(), CL_INVALID_VALUE, "the device is on no PCI bus");
    return out.put<cl_device_pci_bus_info_khr>(*properties.pciBus);
  case CL_DEVICE_PCI_BUS_ID_NV:
  case CL_DEVICE_PCI_SLOT_ID_NV:
  case CL_DEVICE_PCI_DOMAIN_ID_NV:
    check(properties.pciBus.has_value(), CL_INVALID_VALUE, "the device is on no PCI bus");
    // A slot is the number of the device and three bits for the function.
    return out.put<cl_uint>(name == CL_DEVICE_PCI_BUS_ID_NV ? properties.pciBus->pci_bus
                            : name == CL_DEVICE_PCI_SLOT_ID_NV
                                ? properties.pciBus->pci_device << 3 | properties.pciBus->pci_function
                                : properties.pciBus->pci_domain);
  case CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV:
  case CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV:
  case CL_DEVICE_REGISTERS_PER_BLOCK_NV:
  case CL_DEVICE_WARP_SIZE_NV:
  case CL_DEVICE_GPU_OVERLAP_NV:
  case CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV:
  case CL_DEVICE_INTEGRATED_MEMORY_NV:
  case CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV:
    check(properties.nvidia.has_value(), CL_INVALID_VALUE, "the device has no attributes of NVIDIA's");
    return out.put<cl_uint>(attributeOf(*properties.nvidia, name));
  case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return out.put<size_t>(properties.preferredGroupMultiple);
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR: return out.put<cl_uint>(vectorWidth(properties, 1));
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT: return out.put<cl_uint>(vectorWidth(properties, 2));
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT: return out.put<cl_uint>(vectorWidth(properties, 4));
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: // computed with as float by most processors
    return out.put<cl_uint>(claims(rowOf("cl_khr_fp16")) ? vectorWidth(properties, 4) : 0);
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG: return out.put<cl_uint>(vectorWidth(properties, 8));
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
    return out.put<cl_uint>(claims(rowOf("cl_khr_fp64")) ? vectorWidth(properties, 8) : 0);

  case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
  case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
  case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
  case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
  case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
  case CL_DEVICE_MAX_ON_DEVICE_EVENTS: return onDeviceQueueInfo(device, name, out);

  case CL_DEVICE_PIPE_SUPPORT: return out.put<cl_bool>(properties.pipes.areSupported ? CL_TRUE : CL_FALSE);
  case CL_DEVICE_MAX_PIPE_ARGS: return out.put<cl_uint>(ofPipes(properties.pipes.args));
  case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: return out.put<cl_uint>(ofPipes(properties.pipes.activeReservations));
  case CL_DEVICE_PIPE_MAX_PACKET_SIZE: return out.put<cl_uint>(ofPipes(properties.pipes.packetSize));
  case CL_DEVICE_IMAGE_SUPPORT: return out.put<cl_bool>(images.areSupported ? CL_TRUE : CL_FALSE);
  case CL_DEVICE_MAX_READ_IMAGE_ARGS: return out.put<cl_uint>(ofImages(images.readArgs));
  case CL_DEVICE_MAX_WRITE_IMAGE_ARGS: return out.put<cl_uint>(ofImages(images.writeArgs));
  case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS: return out.put<cl_uint>(ofImages(images.readWriteArgs));
  case CL_DEVICE_MAX_SAMPLERS: return out.put<cl_uint>(ofImages(images.samplers));
  case CL_DEVICE_IMAGE2D_MAX_WIDTH: return out.put<size_t>(ofImages(images.width));
  case CL_DEVICE_IMAGE2D_MAX_HEIGHT: return out.put<size_t>(ofImages(images.height));
  case CL_DEVICE_IMAGE3D_MAX_WIDTH: return out.put<size_t>(ofImages(images.width3D));
  case CL_DEVICE_IMAGE3D_MAX_HEIGHT: return out.put<size_t>(ofImages(images.height3D));
  case CL_DEVICE_IMAGE3D_MAX_DEPTH: return out.put<size_t>(ofImages(images.depth3D));
  case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: return out.put<size_t>(ofImages(images.bufferTexels));
  case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: return out.put<size_t>(ofImages(images.layers));
  case CL_DEVICE_IMAGE_PITCH_ALIGNMENT: return out.put<cl_uint>(ofImages(images.pitchAlignment));
  case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT: return out.put<cl_uint>(ofImages(images.baseAlignment));

  case CL_DEVICE_GLOBAL_MEM_SIZE: return out.put<cl_ulong>(properties.globalMemorySize);
  case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return out.put<cl_ulong>(properties.maxAllocationSize);
  case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: return out.put<cl_ulong>(properties.maxConstantBufferSize);
  case CL_DEVICE_MAX_CONSTANT_ARGS: return out.put<cl_uint>(properties.maxConstantArgs);
  case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE: return out.put<size_t>(properties.maxGlobalVariableSize);
  case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE:
    return out.put<size_t>(properties.globalVariablePreferredTotalSize);
  case CL_DEVICE_LOCAL_MEM_TYPE: return out.put<cl_device_local_mem_type>(properties.localMemoryType);
  case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
    return out.put<cl_bool>(properties.correctsMemoryErrors ? CL_TRUE : CL_FALSE);
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
