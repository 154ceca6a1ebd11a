// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>
#include <CL/cl_ext.h>

// Names of extensions and OpenCL 3.1 that are younger than the OpenCL headers of the system; the numbers are
// Khronos's.

#ifndef cl_ext_float_atomics
using cl_device_fp_atomic_capabilities_ext = cl_bitfield;
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT 0x4233
#define CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 0)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT (1 << 1)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT (1 << 2)
#define CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 16)
#define CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT (1 << 17)
#define CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT (1 << 18)
#endif

#ifndef cl_khr_kernel_clock
using cl_device_kernel_clock_capabilities_khr = cl_bitfield;
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR 0x1076
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR (1 << 0)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR (1 << 2)
#endif

// In no header of Khronos's, though programs ask with cl_nv_device_attribute_query.
#ifndef CL_DEVICE_PCI_BUS_ID_NV
#define CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV 0x4007
#define CL_DEVICE_PCI_BUS_ID_NV 0x4008
#define CL_DEVICE_PCI_SLOT_ID_NV 0x4009
#define CL_DEVICE_PCI_DOMAIN_ID_NV 0x400A
#endif

#ifndef cl_ext_immutable_memory_objects
#define CL_MEM_IMMUTABLE_EXT (1 << 6)
#endif

#ifndef cl_ext_buffer_device_address
using cl_mem_device_address_ext = cl_ulong;
#define CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT 0x5000
#define CL_MEM_DEVICE_ADDRESS_EXT 0x5001
#define CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT 0x5002
extern "C" cl_int CL_API_CALL clSetKernelArgDevicePointerEXT(cl_kernel kernel, cl_uint index,
                                                             cl_mem_device_address_ext value);
#endif

#ifndef cl_khr_unified_svm
using cl_svm_capabilities_khr = cl_bitfield;
using cl_svm_alloc_properties_khr = cl_properties;
using cl_svm_alloc_access_flags_khr = cl_bitfield;
using cl_svm_free_properties_khr = cl_properties;
using cl_svm_free_flags_khr = cl_bitfield;
using cl_svm_pointer_info_khr = cl_uint;
#define CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR 0x0909
#define CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR 0x1077
#define CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR (1 << 0)
#define CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR (1 << 1)
#define CL_SVM_CAPABILITY_DEVICE_OWNED_KHR (1 << 2)
#define CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR (1 << 3)
#define CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR (1 << 4)
#define CL_SVM_CAPABILITY_HOST_OWNED_KHR (1 << 5)
#define CL_SVM_CAPABILITY_HOST_READ_KHR (1 << 6)
#define CL_SVM_CAPABILITY_HOST_WRITE_KHR (1 << 7)
#define CL_SVM_CAPABILITY_HOST_MAP_KHR (1 << 8)
#define CL_SVM_CAPABILITY_DEVICE_READ_KHR (1 << 9)
#define CL_SVM_CAPABILITY_DEVICE_WRITE_KHR (1 << 10)
#define CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR (1 << 11)
#define CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR (1 << 12)
#define CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR (1 << 13)
#define CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR (1 << 14)
#define CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR 0x2078
#define CL_SVM_ALLOC_ACCESS_FLAGS_KHR 0x2079
#define CL_SVM_ALLOC_ALIGNMENT_KHR 0x207A
#define CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR (1 << 0)
#define CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR (1 << 1)
#define CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR (1 << 8)
#define CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR (1 << 9)
#define CL_SVM_INFO_TYPE_INDEX_KHR 0x2088
#define CL_SVM_INFO_CAPABILITIES_KHR 0x2089
#define CL_SVM_INFO_PROPERTIES_KHR 0x208A
#define CL_SVM_INFO_ACCESS_FLAGS_KHR 0x208B
#define CL_SVM_INFO_BASE_PTR_KHR 0x419B
#define CL_SVM_INFO_SIZE_KHR 0x419C
#define CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR 0x419D
#define CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR 0x11BB
extern "C" {
void* CL_API_CALL clSVMAllocWithPropertiesKHR(cl_context context, const cl_svm_alloc_properties_khr* properties,
                                              cl_uint type, size_t size, cl_int* status);
cl_int CL_API_CALL clSVMFreeWithPropertiesKHR(cl_context context, const cl_svm_free_properties_khr* properties,
                                              cl_svm_free_flags_khr flags, void* pointer);
cl_int CL_API_CALL clGetSVMPointerInfoKHR(cl_context context, cl_device_id device, const void* pointer,
                                          cl_svm_pointer_info_khr name, size_t size, void* value, size_t* sizeReturned);
cl_int CL_API_CALL clGetSVMSuggestedTypeIndexKHR(cl_context context, cl_svm_capabilities_khr required,
                                                 cl_svm_capabilities_khr desired,
                                                 const cl_svm_alloc_properties_khr* properties, size_t size,
                                                 cl_uint* suggested);
}
#endif

// cl_khr_semaphore, cl_khr_external_semaphore and cl_khr_external_memory are in older headers as they were before 1.0.
#ifndef CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR 0x2053
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR 0
#endif

#ifndef CL_SEMAPHORE_EXPORTABLE_KHR
#define CL_SEMAPHORE_EXPORTABLE_KHR 0x2054
#endif

#ifndef CL_KHR_EXTERNAL_SEMAPHORE_SYNC_FD_EXTENSION_NAME
using cl_semaphore_reimport_properties_khr = cl_properties;
extern "C" cl_int CL_API_CALL clReImportSemaphoreSyncFdKHR(cl_semaphore_khr semaphore,
                                                           cl_semaphore_reimport_properties_khr* properties, int fd);
#endif

#ifndef CL_MEM_DEVICE_HANDLE_LIST_KHR
#define CL_MEM_DEVICE_HANDLE_LIST_KHR 0x2051
#define CL_MEM_DEVICE_HANDLE_LIST_END_KHR 0
#endif

#ifndef CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR
#define CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR 0x2052
#endif

#ifndef CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR 0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS_KHR 0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES_KHR 0x12BB
#endif

#ifndef CL_VERSION_3_1
using cl_device_integer_dot_product_capabilities = cl_bitfield;
using cl_device_integer_dot_product_acceleration_properties = cl_device_integer_dot_product_acceleration_properties_khr;
#define CL_UUID_SIZE 16
#define CL_LUID_SIZE 8
#define CL_DEVICE_MAX_WORK_GROUP_SIZES 0x1005
#define CL_DEVICE_UUID 0x106A
#define CL_DRIVER_UUID 0x106B
#define CL_DEVICE_LUID_VALID 0x106C
#define CL_DEVICE_LUID 0x106D
#define CL_DEVICE_NODE_MASK 0x106E
#define CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES 0x1073
#define CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT 0x1074
#define CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED 0x1075
#define CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED (1 << 0)
#define CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT (1 << 1)
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS 0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS 0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES 0x12BB
extern "C" cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSize(cl_command_queue queue, cl_kernel kernel,
                                                                cl_uint dimensions, const size_t* offset,
                                                                const size_t* global, size_t* suggested);
#endif
