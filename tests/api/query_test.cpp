// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every query that <CL/cl.h> has, and those of the extensions that are claimed: each is answered in the size that the
// specification gives its type, keeps to the protocol of all queries, or gives the error that is named for it. The
// header itself is read, so that none is forgotten. What the answers are is for the tests of the objects.
#include "base/command_buffer_header.hpp"
#include "base/later_headers.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>

namespace clotho::test {

namespace {

/// What an answer is like.
struct Shape {
  /// Room: the answer is as long as the room that there is for it.
  enum Kind { Fixed, List, Text, Error, Binaries, Room } kind;
  size_t size = 0; ///< of the value, or of an element
  cl_int code = CL_SUCCESS;
};
template <class T> constexpr Shape one() { return {Shape::Fixed, sizeof(T)}; }
template <class T, size_t count> constexpr Shape array() { return {Shape::Fixed, count * sizeof(T)}; }
template <class T> constexpr Shape list() { return {Shape::List, sizeof(T)}; } // perhaps empty
template <class T> constexpr Shape room() { return {Shape::Room, sizeof(T)}; }
constexpr Shape text() { return {Shape::Text}; }
constexpr Shape error(cl_int code) { return {Shape::Error, 0, code}; }

struct Row {
  const char* name;
  cl_uint number;
  Shape shape;
  const char* extension = nullptr; ///< of devices, where it is not OpenCL itself that has the query
};
#define QUERY(name, shape) {#name, name, shape}
#define QUERY_OF(extension, name, shape) {#name, name, shape, #extension}

/// By the comment that begins each group of constants in the header.
// NOLINTNEXTLINE(readability-function-size): a row a query
const std::map<std::string, std::vector<Row>>& groups() {
  static const std::map<std::string, std::vector<Row>> kGroups = {
      {"cl_platform_info",
       {QUERY(CL_PLATFORM_PROFILE, text()), QUERY(CL_PLATFORM_VERSION, text()), QUERY(CL_PLATFORM_NAME, text()),
        QUERY(CL_PLATFORM_VENDOR, text()), QUERY(CL_PLATFORM_EXTENSIONS, text()),
        QUERY(CL_PLATFORM_HOST_TIMER_RESOLUTION, one<cl_ulong>()),
        QUERY(CL_PLATFORM_NUMERIC_VERSION, one<cl_version>()),
        QUERY(CL_PLATFORM_EXTENSIONS_WITH_VERSION, list<cl_name_version>()),
        // cl_khr_icd, cl_khr_extended_versioning
        QUERY(CL_PLATFORM_ICD_SUFFIX_KHR, text()), QUERY(CL_PLATFORM_NUMERIC_VERSION_KHR, one<cl_version_khr>()),
        QUERY(CL_PLATFORM_EXTENSIONS_WITH_VERSION_KHR, list<cl_name_version_khr>()),
        QUERY_OF(cl_khr_external_memory, CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
                 list<cl_external_memory_handle_type_khr>()),
        QUERY_OF(cl_khr_semaphore, CL_PLATFORM_SEMAPHORE_TYPES_KHR, list<cl_semaphore_type_khr>()),
        QUERY_OF(cl_khr_external_semaphore, CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
                 list<cl_external_semaphore_handle_type_khr>()),
        QUERY_OF(cl_khr_external_semaphore, CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                 list<cl_external_semaphore_handle_type_khr>())}},
      {"cl_device_info",
       {QUERY(CL_DEVICE_TYPE, one<cl_device_type>()), QUERY(CL_DEVICE_VENDOR_ID, one<cl_uint>()),
        QUERY(CL_DEVICE_MAX_COMPUTE_UNITS, one<cl_uint>()), QUERY(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, one<cl_uint>()),
        QUERY(CL_DEVICE_MAX_WORK_GROUP_SIZE, one<size_t>()), QUERY(CL_DEVICE_MAX_WORK_ITEM_SIZES, (array<size_t, 3>())),
        QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, one<cl_uint>()),
        QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, one<cl_uint>()),
        QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, one<cl_uint>()),
        QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, one<cl_uint>()),
        QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, one<cl_uint>()),
        QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, one<cl_uint>()),
        QUERY(CL_DEVICE_MAX_CLOCK_FREQUENCY, one<cl_uint>()), QUERY(CL_DEVICE_ADDRESS_BITS, one<cl_uint>()),
        QUERY(CL_DEVICE_MAX_READ_IMAGE_ARGS, one<cl_uint>()), QUERY(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, one<cl_uint>()),
        QUERY(CL_DEVICE_MAX_MEM_ALLOC_SIZE, one<cl_ulong>()), QUERY(CL_DEVICE_IMAGE2D_MAX_WIDTH, one<size_t>()),
        QUERY(CL_DEVICE_IMAGE2D_MAX_HEIGHT, one<size_t>()), QUERY(CL_DEVICE_IMAGE3D_MAX_WIDTH, one<size_t>()),
        QUERY(CL_DEVICE_IMAGE3D_MAX_HEIGHT, one<size_t>()), QUERY(CL_DEVICE_IMAGE3D_MAX_DEPTH, one<size_t>()),
        QUERY(CL_DEVICE_IMAGE_SUPPORT, one<cl_bool>()), QUERY(CL_DEVICE_MAX_PARAMETER_SIZE, one<size_t>()),
        QUERY(CL_DEVICE_MAX_SAMPLERS, one<cl_uint>()), QUERY(CL_DEVICE_MEM_BASE_ADDR_ALIGN, one<cl_uint>()),
        QUERY(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, one<cl_uint>()),
        QUERY(CL_DEVICE_SINGLE_FP_CONFIG, one<cl_device_fp_config>()),
        QUERY(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, one<cl_device_mem_cache_type>()),
        QUERY(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, one<cl_uint>()),
        QUERY(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, one<cl_ulong>()), QUERY(CL_DEVICE_GLOBAL_MEM_SIZE, one<cl_ulong>()),
        QUERY(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, one<cl_ulong>()), QUERY(CL_DEVICE_MAX_CONSTANT_ARGS, one<cl_uint>()),
        QUERY(CL_DEVICE_LOCAL_MEM_TYPE, one<cl_device_local_mem_type>()),
        QUERY(CL_DEVICE_LOCAL_MEM_SIZE, one<cl_ulong>()), QUERY(CL_DEVICE_ERROR_CORRECTION_SUPPORT, one<cl_bool>()),
        QUERY(CL_DEVICE_PROFILING_TIMER_RESOLUTION, one<size_t>()), QUERY(CL_DEVICE_ENDIAN_LITTLE, one<cl_bool>()),
        QUERY(CL_DEVICE_AVAILABLE, one<cl_bool>()), QUERY(CL_DEVICE_COMPILER_AVAILABLE, one<cl_bool>()),
        QUERY(CL_DEVICE_EXECUTION_CAPABILITIES, one<cl_device_exec_capabilities>()),
        QUERY(CL_DEVICE_QUEUE_PROPERTIES, one<cl_command_queue_properties>()),
        QUERY(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, one<cl_command_queue_properties>()), QUERY(CL_DEVICE_NAME, text()),
        QUERY(CL_DEVICE_VENDOR, text()), QUERY(CL_DRIVER_VERSION, text()), QUERY(CL_DEVICE_PROFILE, text()),
        QUERY(CL_DEVICE_VERSION, text()), QUERY(CL_DEVICE_EXTENSIONS, text()),
        QUERY(CL_DEVICE_PLATFORM, one<cl_platform_id>()), QUERY(CL_DEVICE_DOUBLE_FP_CONFIG, one<cl_device_fp_config>()),
        QUERY(CL_DEVICE_HALF_FP_CONFIG, one<cl_device_fp_config>()),
        QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, one<cl_uint>()),
        QUERY(CL_DEVICE_HOST_UNIFIED_MEMORY, one<cl_bool>()), QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, one<cl_uint>()),
        QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, one<cl_uint>()),
        QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, one<cl_uint>()),
        QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, one<cl_uint>()),
        QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, one<cl_uint>()),
        QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, one<cl_uint>()),
        QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, one<cl_uint>()), QUERY(CL_DEVICE_OPENCL_C_VERSION, text()),
        QUERY(CL_DEVICE_LINKER_AVAILABLE, one<cl_bool>()), QUERY(CL_DEVICE_BUILT_IN_KERNELS, text()),
        QUERY(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, one<size_t>()), QUERY(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, one<size_t>()),
        QUERY(CL_DEVICE_PARENT_DEVICE, one<cl_device_id>()), QUERY(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, one<cl_uint>()),
        QUERY(CL_DEVICE_PARTITION_PROPERTIES, list<cl_device_partition_property>()),
        QUERY(CL_DEVICE_PARTITION_AFFINITY_DOMAIN, one<cl_device_affinity_domain>()),
        QUERY(CL_DEVICE_PARTITION_TYPE, list<cl_device_partition_property>()),
        QUERY(CL_DEVICE_REFERENCE_COUNT, one<cl_uint>()), QUERY(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, one<cl_bool>()),
        QUERY(CL_DEVICE_PRINTF_BUFFER_SIZE, one<size_t>()), QUERY(CL_DEVICE_IMAGE_PITCH_ALIGNMENT, one<cl_uint>()),
        QUERY(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, one<cl_uint>()),
        QUERY(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, one<cl_uint>()),
        QUERY(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, one<size_t>()),
        QUERY(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, one<cl_command_queue_properties>()),
        QUERY(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, one<cl_uint>()),
        QUERY(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, one<cl_uint>()),
        QUERY(CL_DEVICE_MAX_ON_DEVICE_QUEUES, one<cl_uint>()), QUERY(CL_DEVICE_MAX_ON_DEVICE_EVENTS, one<cl_uint>()),
        QUERY(CL_DEVICE_SVM_CAPABILITIES, one<cl_device_svm_capabilities>()),
        QUERY(CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, one<size_t>()),
        QUERY(CL_DEVICE_MAX_PIPE_ARGS, one<cl_uint>()), QUERY(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, one<cl_uint>()),
        QUERY(CL_DEVICE_PIPE_MAX_PACKET_SIZE, one<cl_uint>()),
        QUERY(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, one<cl_uint>()),
        QUERY(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, one<cl_uint>()),
        QUERY(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, one<cl_uint>()), QUERY(CL_DEVICE_IL_VERSION, text()),
        QUERY(CL_DEVICE_MAX_NUM_SUB_GROUPS, one<cl_uint>()),
        QUERY(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, one<cl_bool>()),
        QUERY(CL_DEVICE_NUMERIC_VERSION, one<cl_version>()),
        QUERY(CL_DEVICE_EXTENSIONS_WITH_VERSION, list<cl_name_version>()),
        QUERY(CL_DEVICE_ILS_WITH_VERSION, list<cl_name_version>()),
        QUERY(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, list<cl_name_version>()),
        QUERY(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, one<cl_device_atomic_capabilities>()),
        QUERY(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, one<cl_device_atomic_capabilities>()),
        QUERY(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, one<cl_bool>()),
        QUERY(CL_DEVICE_OPENCL_C_ALL_VERSIONS, list<cl_name_version>()),
        QUERY(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, one<size_t>()),
        QUERY(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, one<cl_bool>()),
        QUERY(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, one<cl_bool>()),
        QUERY(CL_DEVICE_OPENCL_C_FEATURES, list<cl_name_version>()),
        QUERY(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, one<cl_device_device_enqueue_capabilities>()),
        QUERY(CL_DEVICE_PIPE_SUPPORT, one<cl_bool>()), QUERY(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, text()),
        // What extensions add.
        QUERY_OF(cl_khr_device_uuid, CL_DEVICE_UUID_KHR, (array<cl_uchar, CL_UUID_SIZE_KHR>())),
        QUERY_OF(cl_khr_device_uuid, CL_DRIVER_UUID_KHR, (array<cl_uchar, CL_UUID_SIZE_KHR>())),
        QUERY_OF(cl_khr_device_uuid, CL_DEVICE_LUID_VALID_KHR, one<cl_bool>()),
        QUERY_OF(cl_khr_device_uuid, CL_DEVICE_LUID_KHR, (array<cl_uchar, CL_LUID_SIZE_KHR>())),
        QUERY_OF(cl_khr_device_uuid, CL_DEVICE_NODE_MASK_KHR, one<cl_uint>()),
        QUERY_OF(cl_intel_unified_shared_memory, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL,
                 one<cl_device_unified_shared_memory_capabilities_intel>()),
        QUERY_OF(cl_intel_unified_shared_memory, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
                 one<cl_device_unified_shared_memory_capabilities_intel>()),
        QUERY_OF(cl_intel_unified_shared_memory, CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
                 one<cl_device_unified_shared_memory_capabilities_intel>()),
        QUERY_OF(cl_intel_unified_shared_memory, CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
                 one<cl_device_unified_shared_memory_capabilities_intel>()),
        QUERY_OF(cl_intel_unified_shared_memory, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL,
                 one<cl_device_unified_shared_memory_capabilities_intel>()),
        QUERY_OF(cl_khr_external_memory, CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
                 list<cl_external_memory_handle_type_khr>()),
        QUERY_OF(cl_khr_external_memory, CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR,
                 list<cl_external_memory_handle_type_khr>()),
        QUERY_OF(cl_khr_semaphore, CL_DEVICE_SEMAPHORE_TYPES_KHR, list<cl_semaphore_type_khr>()),
        QUERY_OF(cl_khr_external_semaphore, CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
                 list<cl_external_semaphore_handle_type_khr>()),
        QUERY_OF(cl_khr_external_semaphore, CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                 list<cl_external_semaphore_handle_type_khr>()),
        QUERY_OF(cl_khr_unified_svm, CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR, list<cl_svm_capabilities_khr>()),
        QUERY_OF(cl_khr_command_buffer, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR,
                 one<cl_device_command_buffer_capabilities_khr>()),
        QUERY_OF(cl_khr_command_buffer, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR,
                 one<cl_command_queue_properties>()),
        QUERY_OF(cl_khr_command_buffer, CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR,
                 one<cl_command_queue_properties>()),
        QUERY_OF(cl_khr_command_buffer_multi_device, CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR, one<cl_uint>()),
        QUERY_OF(cl_khr_command_buffer_multi_device, CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR, list<cl_device_id>()),
        QUERY_OF(cl_khr_command_buffer_mutable_dispatch, CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR,
                 one<cl_mutable_dispatch_fields_khr>()),
        QUERY(CL_DEVICE_NUMERIC_VERSION_KHR, one<cl_version_khr>()),
        QUERY(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, one<cl_version_khr>()),
        QUERY(CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR, list<cl_name_version_khr>()),
        QUERY(CL_DEVICE_ILS_WITH_VERSION_KHR, list<cl_name_version_khr>()),
        QUERY(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION_KHR, list<cl_name_version_khr>()),
        QUERY_OF(cl_khr_spirv_queries, CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR, list<const char*>()),
        QUERY_OF(cl_khr_spirv_queries, CL_DEVICE_SPIRV_EXTENSIONS_KHR, list<const char*>()),
        QUERY_OF(cl_khr_spirv_queries, CL_DEVICE_SPIRV_CAPABILITIES_KHR, list<cl_uint>())}},
      {"cl_context_info",
       {QUERY(CL_CONTEXT_REFERENCE_COUNT, one<cl_uint>()), QUERY(CL_CONTEXT_DEVICES, list<cl_device_id>()),
        QUERY(CL_CONTEXT_PROPERTIES, list<cl_context_properties>()), QUERY(CL_CONTEXT_NUM_DEVICES, one<cl_uint>())}},
      {"cl_command_queue_info",
       {QUERY(CL_QUEUE_CONTEXT, one<cl_context>()), QUERY(CL_QUEUE_DEVICE, one<cl_device_id>()),
        QUERY(CL_QUEUE_REFERENCE_COUNT, one<cl_uint>()), QUERY(CL_QUEUE_PROPERTIES, one<cl_command_queue_properties>()),
        // CL_QUEUE_SIZE is a property of on-device queues only.
        QUERY(CL_QUEUE_SIZE, error(CL_INVALID_COMMAND_QUEUE)), QUERY(CL_QUEUE_DEVICE_DEFAULT, one<cl_command_queue>()),
        QUERY(CL_QUEUE_PROPERTIES_ARRAY, list<cl_queue_properties>())}},
      {"cl_mem_info",
       {QUERY(CL_MEM_TYPE, one<cl_mem_object_type>()), QUERY(CL_MEM_FLAGS, one<cl_mem_flags>()),
        QUERY(CL_MEM_SIZE, one<size_t>()), QUERY(CL_MEM_HOST_PTR, one<void*>()),
        QUERY(CL_MEM_MAP_COUNT, one<cl_uint>()), QUERY(CL_MEM_REFERENCE_COUNT, one<cl_uint>()),
        QUERY(CL_MEM_CONTEXT, one<cl_context>()), QUERY(CL_MEM_ASSOCIATED_MEMOBJECT, one<cl_mem>()),
        QUERY(CL_MEM_OFFSET, one<size_t>()), QUERY(CL_MEM_USES_SVM_POINTER, one<cl_bool>()),
        // cl_ext_buffer_device_address: of buffers that are made for it alone.
        QUERY(CL_MEM_DEVICE_ADDRESS_EXT, error(CL_INVALID_OPERATION)),
        QUERY(CL_MEM_PROPERTIES, list<cl_mem_properties>())}},
      {"cl_program_info",
       {QUERY(CL_PROGRAM_REFERENCE_COUNT, one<cl_uint>()), QUERY(CL_PROGRAM_CONTEXT, one<cl_context>()),
        QUERY(CL_PROGRAM_NUM_DEVICES, one<cl_uint>()), QUERY(CL_PROGRAM_DEVICES, list<cl_device_id>()),
        QUERY(CL_PROGRAM_SOURCE, text()), QUERY(CL_PROGRAM_BINARY_SIZES, list<size_t>()),
        QUERY(CL_PROGRAM_BINARIES, Shape{Shape::Binaries}), QUERY(CL_PROGRAM_NUM_KERNELS, one<size_t>()),
        QUERY(CL_PROGRAM_KERNEL_NAMES, text()), QUERY(CL_PROGRAM_IL, list<char>()),
        QUERY(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, one<cl_bool>()),
        QUERY(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, one<cl_bool>())}},
      {"cl_program_build_info",
       {QUERY(CL_PROGRAM_BUILD_STATUS, one<cl_build_status>()), QUERY(CL_PROGRAM_BUILD_OPTIONS, text()),
        QUERY(CL_PROGRAM_BUILD_LOG, text()), QUERY(CL_PROGRAM_BINARY_TYPE, one<cl_program_binary_type>()),
        QUERY(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, one<size_t>())}},
      {"cl_kernel_info",
       {QUERY(CL_KERNEL_FUNCTION_NAME, text()), QUERY(CL_KERNEL_NUM_ARGS, one<cl_uint>()),
        QUERY(CL_KERNEL_REFERENCE_COUNT, one<cl_uint>()), QUERY(CL_KERNEL_CONTEXT, one<cl_context>()),
        QUERY(CL_KERNEL_PROGRAM, one<cl_program>()), QUERY(CL_KERNEL_ATTRIBUTES, text())}},
      {"cl_kernel_arg_info",
       {QUERY(CL_KERNEL_ARG_ADDRESS_QUALIFIER, one<cl_kernel_arg_address_qualifier>()),
        QUERY(CL_KERNEL_ARG_ACCESS_QUALIFIER, one<cl_kernel_arg_access_qualifier>()),
        QUERY(CL_KERNEL_ARG_TYPE_NAME, text()),
        QUERY(CL_KERNEL_ARG_TYPE_QUALIFIER, one<cl_kernel_arg_type_qualifier>()), QUERY(CL_KERNEL_ARG_NAME, text())}},
      {"cl_kernel_work_group_info",
       {QUERY(CL_KERNEL_WORK_GROUP_SIZE, one<size_t>()), QUERY(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, (array<size_t, 3>())),
        QUERY(CL_KERNEL_LOCAL_MEM_SIZE, one<cl_ulong>()),
        QUERY(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, one<size_t>()),
        QUERY(CL_KERNEL_PRIVATE_MEM_SIZE, one<cl_ulong>()),
        // CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices and built-in kernels only.
        QUERY(CL_KERNEL_GLOBAL_WORK_SIZE, error(CL_INVALID_VALUE))}},
      {"cl_kernel_sub_group_info",
       {QUERY(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, one<size_t>()),
        QUERY(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, one<size_t>()),
        QUERY(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, room<size_t>()),
        QUERY(CL_KERNEL_MAX_NUM_SUB_GROUPS, one<size_t>()), QUERY(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, one<size_t>())}},
      {"cl_event_info",
       {QUERY(CL_EVENT_COMMAND_QUEUE, one<cl_command_queue>()), QUERY(CL_EVENT_COMMAND_TYPE, one<cl_command_type>()),
        QUERY(CL_EVENT_REFERENCE_COUNT, one<cl_uint>()), QUERY(CL_EVENT_COMMAND_EXECUTION_STATUS, one<cl_int>()),
        QUERY(CL_EVENT_CONTEXT, one<cl_context>())}},
      {"cl_profiling_info",
       {QUERY(CL_PROFILING_COMMAND_QUEUED, one<cl_ulong>()), QUERY(CL_PROFILING_COMMAND_SUBMIT, one<cl_ulong>()),
        QUERY(CL_PROFILING_COMMAND_START, one<cl_ulong>()), QUERY(CL_PROFILING_COMMAND_END, one<cl_ulong>()),
        QUERY(CL_PROFILING_COMMAND_COMPLETE, one<cl_ulong>())}},
      {"cl_image_info",
       {QUERY(CL_IMAGE_FORMAT, one<cl_image_format>()), QUERY(CL_IMAGE_ELEMENT_SIZE, one<size_t>()),
        QUERY(CL_IMAGE_ROW_PITCH, one<size_t>()), QUERY(CL_IMAGE_SLICE_PITCH, one<size_t>()),
        QUERY(CL_IMAGE_WIDTH, one<size_t>()), QUERY(CL_IMAGE_HEIGHT, one<size_t>()),
        QUERY(CL_IMAGE_DEPTH, one<size_t>()), QUERY(CL_IMAGE_ARRAY_SIZE, one<size_t>()),
        QUERY(CL_IMAGE_BUFFER, one<cl_mem>()), QUERY(CL_IMAGE_NUM_MIP_LEVELS, one<cl_uint>()),
        QUERY(CL_IMAGE_NUM_SAMPLES, one<cl_uint>())}},
      {"cl_pipe_info",
       {QUERY(CL_PIPE_PACKET_SIZE, one<cl_uint>()), QUERY(CL_PIPE_MAX_PACKETS, one<cl_uint>()),
        QUERY(CL_PIPE_PROPERTIES, list<cl_pipe_properties>())}},
      {"cl_sampler_info",
       {QUERY(CL_SAMPLER_REFERENCE_COUNT, one<cl_uint>()), QUERY(CL_SAMPLER_CONTEXT, one<cl_context>()),
        QUERY(CL_SAMPLER_NORMALIZED_COORDS, one<cl_bool>()),
        QUERY(CL_SAMPLER_ADDRESSING_MODE, one<cl_addressing_mode>()),
        QUERY(CL_SAMPLER_FILTER_MODE, one<cl_filter_mode>()),
        // cl_khr_mipmap_image
        QUERY(CL_SAMPLER_MIP_FILTER_MODE, one<cl_filter_mode>()), QUERY(CL_SAMPLER_LOD_MIN, one<cl_float>()),
        QUERY(CL_SAMPLER_LOD_MAX, one<cl_float>()), QUERY(CL_SAMPLER_PROPERTIES, list<cl_sampler_properties>())}},
  };
  return kGroups;
}
#undef QUERY
#undef QUERY_OF

using Ask = std::function<cl_int(cl_uint, size_t, void*, size_t*)>;

class QueryTest : public DeviceApi {
 protected:
  /// Asks everything of one group.
  static void ask(const char* group, const Ask& ask) {
    const std::vector<Row>& rows = groups().at(group);
    for (const Row& row : rows) {
      SCOPED_TRACE(row.name);
      size_t size = 0x5a5a;
      if (row.extension && !claims(row.extension)) {
        EXPECT_EQ(ask(row.number, 0, nullptr, &size), CL_INVALID_VALUE);
        continue;
      }
      if (row.shape.kind == Shape::Error) {
        EXPECT_EQ(ask(row.number, 0, nullptr, &size), row.shape.code);
        EXPECT_EQ(size, 0x5a5au) << "written in spite of the error";
        continue;
      }
      ASSERT_EQ(ask(row.number, 0, nullptr, &size), CL_SUCCESS);
      checkSize(row.shape, size);
      if (row.shape.kind != Shape::Binaries && row.shape.kind != Shape::Room) checkAnswer(row, size, ask);
    }
    cl_uint unknown = rows.back().number;
    auto has = [&](cl_uint number) {
      return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.number == number; });
    };
    while (has(unknown))
      ++unknown;
    if (rows.front().shape.kind != Shape::Error) {
      for (cl_uint number : {unknown + 0x700, 0u, ~0u})
        EXPECT_EQ(ask(number, 0, nullptr, nullptr), CL_INVALID_VALUE) << std::hex << number;
    }
  }

 private:
  static void checkSize(const Shape& shape, size_t size) {
    switch (shape.kind) {
    case Shape::Fixed: EXPECT_EQ(size, shape.size); break;
    case Shape::List:
    case Shape::Room: EXPECT_EQ(size % shape.size, 0u); break;
    case Shape::Text: EXPECT_GT(size, 0u); break;
    case Shape::Binaries: EXPECT_EQ(size, sizeof(unsigned char*)) << "there is one device"; break;
    case Shape::Error: break;
    }
  }
  /// Exactly, too little and more room than the answer needs.
  static void checkAnswer(const Row& row, size_t size, const Ask& ask) {
    constexpr char kFilling = 0x77;
    std::string room(size + 16, kFilling);
    size_t again = 0;
    ASSERT_EQ(ask(row.number, size, room.data(), &again), CL_SUCCESS);
    EXPECT_EQ(again, size);
    EXPECT_EQ(room.substr(size), std::string(16, kFilling)) << "wrote more than it said";
    if (row.shape.kind == Shape::Text) EXPECT_EQ(room.find('\0'), size - 1);
    if (size > 0) {
      std::string untouched(size + 16, kFilling);
      again = 0x5a5a;
      EXPECT_EQ(ask(row.number, size - 1, untouched.data(), &again), CL_INVALID_VALUE);
      EXPECT_EQ(untouched, std::string(size + 16, kFilling));
      EXPECT_EQ(again, 0x5a5au);
    }
    EXPECT_EQ(ask(row.number, size + 16, room.data(), nullptr), CL_SUCCESS);
    EXPECT_EQ(ask(row.number, 0, nullptr, nullptr), CL_SUCCESS);
  }
};

#define ASK(function, ...)                                                                                             \
  [&](cl_uint name, size_t size, void* value, size_t* sizeReturned) {                                                  \
    return function(__VA_ARGS__, name, size, value, sizeReturned);                                                     \
  }

TEST_F(QueryTest, PlatformAndDevice) {
  ask("cl_platform_info", ASK(clGetPlatformInfo, platform_));
  ask("cl_device_info", ASK(clGetDeviceInfo, device_));
  if (!hasSubDevices()) return;
  const cl_device_partition_property units[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id part = nullptr;
  ASSERT_EQ(clCreateSubDevices(device_, units, 1, &part, nullptr), CL_SUCCESS);
  ask("cl_device_info", ASK(clGetDeviceInfo, part));
  EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
}

TEST_F(QueryTest, ContextAndQueue) {
  ask("cl_context_info", ASK(clGetContextInfo, context_));
  ask("cl_command_queue_info", ASK(clGetCommandQueueInfo, queue_)); // others: OnDeviceQueueTest
}

TEST_F(QueryTest, MemoryObjects) {
  Owned<cl_mem> buffer = makeBuffer(64);
  cl_int status = 1;
  const cl_buffer_region region = {0, 32};
  Owned<cl_mem> part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  for (cl_mem each : {buffer.get(), part.get()})
    ask("cl_mem_info", ASK(clGetMemObjectInfo, each));
}

TEST_F(QueryTest, ImagesAndSamplers) {
  CLOTHO_NEEDS(claims("__opencl_c_images"));
  cl_int status = 1;
  const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
  Owned<cl_mem> image = clCreateImage2D(context_, 0, &format, 4, 4, 0, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ask("cl_mem_info", ASK(clGetMemObjectInfo, image));
  ask("cl_image_info", ASK(clGetImageInfo, image));
  Owned<cl_sampler> sampler = clCreateSampler(context_, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ask("cl_sampler_info", ASK(clGetSamplerInfo, sampler));
}

TEST_F(QueryTest, Pipes) {
  CLOTHO_NEEDS(hasPipes());
  cl_int status = 1;
  Owned<cl_mem> pipe = clCreatePipe(context_, 0, 4, 16, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ask("cl_mem_info", ASK(clGetMemObjectInfo, pipe));
  ask("cl_pipe_info", ASK(clGetPipeInfo, pipe));
}

TEST_F(QueryTest, ProgramsAndKernels) {
  Owned<cl_program> program = buildProgram("kernel void k(global int* out) { *out = 1; }", "-cl-kernel-arg-info");
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, "k", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ask("cl_program_info", ASK(clGetProgramInfo, program));
  ask("cl_program_build_info", ASK(clGetProgramBuildInfo, program, device_));
  ask("cl_kernel_info", ASK(clGetKernelInfo, kernel));
  ask("cl_kernel_arg_info", ASK(clGetKernelArgInfo, kernel, 0));
  for (cl_device_id device : {device_, cl_device_id{}})
    ask("cl_kernel_work_group_info", ASK(clGetKernelWorkGroupInfo, kernel, device));
}

TEST_F(QueryTest, SubGroups) {
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global int* out) { *out = 1; }", "k");
  const size_t one = 1;
  auto query = [&](cl_uint name, size_t size, void* value, size_t* sizeReturned) {
    const bool hasInput = name == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE ||
                          name == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE ||
                          name == CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT;
    return clGetKernelSubGroupInfo(kernel, device_, name, hasInput ? sizeof one : 0, hasInput ? &one : nullptr, size,
                                   value, sizeReturned);
  };
  if (value<cl_uint>(CL_DEVICE_MAX_NUM_SUB_GROUPS) > 0) return ask("cl_kernel_sub_group_info", query);
  for (const Row& row : groups().at("cl_kernel_sub_group_info"))
    EXPECT_EQ(query(row.number, 0, nullptr, nullptr), CL_INVALID_OPERATION) << row.name;
}

TEST_F(QueryTest, Events) {
  Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_PROFILING_ENABLE);
  Owned<cl_event> marker, user = makeUserEvent();
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 0, nullptr, marker.out()), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  for (cl_event each : {marker.get(), user.get()})
    ask("cl_event_info", ASK(clGetEventInfo, each));
  ask("cl_profiling_info", ASK(clGetEventProfilingInfo, marker));
}

// The header names each group in a comment, and what follows up to the next comment of its kind belongs to it.
TEST_F(QueryTest, TheHeaderHasNoOthers) {
  std::ifstream header(CLOTHO_CL_HEADER);
  ASSERT_TRUE(header.good()) << CLOTHO_CL_HEADER;
  const std::regex comment("/\\* *(cl_\\w+)( .*)?"), define("#define +(CL_\\w+) +.*");
  std::string group;
  std::map<std::string, std::set<std::string>> declared;
  for (std::string line; std::getline(header, line);) {
    std::smatch match;
    if (std::regex_match(line, match, comment))
      group = match[1];
    else if (std::regex_match(line, match, define) && group.ends_with("_info"))
      declared[group].insert(match[1]);
  }
  // Not a query, but what clSetKernelExecInfo takes.
  declared.erase("cl_kernel_exec_info");
  EXPECT_EQ(declared.size(), groups().size());
  for (const auto& [name, constants] : declared) {
    ASSERT_TRUE(groups().contains(name)) << name;
    std::set<std::string> known;
    for (const Row& row : groups().at(name))
      known.insert(row.name);
    for (const std::string& constant : constants)
      EXPECT_TRUE(known.contains(constant)) << constant << " of " << name;
  }
}

} // namespace

} // namespace clotho::test
