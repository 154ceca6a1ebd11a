// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>
#include <CL/cl_ext.h>

// cl_khr_command_buffer and its layers as they are since versions 0.9.8, 0.9.5 (mutable dispatch) and 0.9.2 (several
// devices); the numbers are Khronos's. The headers of some systems have them as they were in 2022, with other
// signatures of the same functions, and later ones hide them: so functions and structures are declared here, in a
// namespace of their own, and only what did not change is taken from there.

#ifndef cl_khr_command_buffer
using cl_device_command_buffer_capabilities_khr = cl_bitfield;
using cl_command_buffer_khr = struct _cl_command_buffer_khr*;
using cl_sync_point_khr = cl_uint;
using cl_command_buffer_info_khr = cl_uint;
using cl_command_buffer_state_khr = cl_uint;
using cl_command_buffer_properties_khr = cl_properties;
using cl_command_buffer_flags_khr = cl_bitfield;
using cl_mutable_command_khr = struct _cl_mutable_command_khr*;
#define CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR 0x12A9
#define CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR 0x12AA
#define CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR (1 << 0)
#define CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR (1 << 1)
#define CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR (1 << 2)
#define CL_COMMAND_BUFFER_FLAGS_KHR 0x1293
#define CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR (1 << 0)
#define CL_INVALID_COMMAND_BUFFER_KHR (-1138)
#define CL_INVALID_SYNC_POINT_WAIT_LIST_KHR (-1139)
#define CL_INCOMPATIBLE_COMMAND_QUEUE_KHR (-1140)
#define CL_COMMAND_BUFFER_QUEUES_KHR 0x1294
#define CL_COMMAND_BUFFER_NUM_QUEUES_KHR 0x1295
#define CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR 0x1296
#define CL_COMMAND_BUFFER_STATE_KHR 0x1297
#define CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR 0x1298
#define CL_COMMAND_BUFFER_STATE_RECORDING_KHR 0
#define CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR 1
#define CL_COMMAND_COMMAND_BUFFER_KHR 0x12A8
#endif

#ifndef cl_khr_command_buffer_mutable_dispatch
using cl_mutable_dispatch_fields_khr = cl_bitfield;
using cl_mutable_command_info_khr = cl_uint;
#define CL_COMMAND_BUFFER_MUTABLE_KHR (1 << 1)
#define CL_INVALID_MUTABLE_COMMAND_KHR (-1141)
#define CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR 0x12B0
#define CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR 0x12B1
#define CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR (1 << 0)
#define CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR (1 << 1)
#define CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR (1 << 2)
#define CL_MUTABLE_DISPATCH_ARGUMENTS_KHR (1 << 3)
#define CL_MUTABLE_DISPATCH_EXEC_INFO_KHR (1 << 4)
#define CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR 0x12A0
#define CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR 0x12A1
#define CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR 0x12AD
#define CL_MUTABLE_DISPATCH_KERNEL_KHR 0x12A3
#define CL_MUTABLE_DISPATCH_DIMENSIONS_KHR 0x12A4
#define CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR 0x12A5
#define CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR 0x12A6
#define CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR 0x12A7
#endif

#ifndef CL_COMMAND_BUFFER_CONTEXT_KHR
#define CL_COMMAND_BUFFER_CONTEXT_KHR 0x1299
#endif
#ifndef CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR
#define CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR 0x129A
#endif
#ifndef CL_COMMAND_BUFFER_STATE_FINALIZED_KHR
#define CL_COMMAND_BUFFER_STATE_FINALIZED_KHR 2
#endif
#ifndef CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR
#define CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR 0x12A2
#endif
#ifndef CL_MUTABLE_DISPATCH_ASSERTS_KHR
#define CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR 0x12B7
#define CL_MUTABLE_DISPATCH_ASSERTS_KHR 0x12B8
#define CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR (1 << 0)
#endif
#undef CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR // 1 until version 0.9.2 of the layer
#define CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR 0

#ifndef cl_khr_command_buffer_multi_device
using cl_platform_command_buffer_capabilities_khr = cl_bitfield;
#define CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR 0x0908
#define CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR (1 << 0)
#define CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR (1 << 1)
#define CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR (1 << 2)
#define CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR 0x12AB
#define CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR 0x12AC
#define CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR (1 << 4)
#define CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR (1 << 2)
#endif

namespace clotho::khr {

// NOLINTBEGIN(readability-identifier-naming): these names are Khronos's.
using cl_command_properties_khr = cl_properties;
using cl_command_buffer_update_type_khr = cl_uint;
using cl_mutable_dispatch_asserts_khr = cl_bitfield;

struct cl_mutable_dispatch_arg_khr {
  cl_uint arg_index;
  size_t arg_size;
  const void* arg_value;
};
struct cl_mutable_dispatch_exec_info_khr {
  cl_uint param_name;
  size_t param_value_size;
  const void* param_value;
};
struct cl_mutable_dispatch_config_khr {
  cl_mutable_command_khr command;
  cl_uint num_args;
  cl_uint num_svm_args;
  cl_uint num_exec_infos;
  cl_uint work_dim;
  const cl_mutable_dispatch_arg_khr* arg_list;
  const cl_mutable_dispatch_arg_khr* arg_svm_list;
  const cl_mutable_dispatch_exec_info_khr* exec_info_list;
  const size_t* global_work_offset;
  const size_t* global_work_size;
  const size_t* local_work_size;
};

// The types of the functions.
using clCreateCommandBufferKHR_t = cl_command_buffer_khr CL_API_CALL(cl_uint, const cl_command_queue*,
                                                                     const cl_command_buffer_properties_khr*, cl_int*);
using clFinalizeCommandBufferKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr);
using clRetainCommandBufferKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr);
using clReleaseCommandBufferKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr);
using clEnqueueCommandBufferKHR_t = cl_int CL_API_CALL(cl_uint, cl_command_queue*, cl_command_buffer_khr, cl_uint,
                                                       const cl_event*, cl_event*);
using clGetCommandBufferInfoKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr, cl_command_buffer_info_khr, size_t, void*,
                                                       size_t*);
// All commands have the first three and the last four parameters.
using clCommandBarrierWithWaitListKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr, cl_command_queue,
                                                             const cl_command_properties_khr*, cl_uint,
                                                             const cl_sync_point_khr*, cl_sync_point_khr*,
                                                             cl_mutable_command_khr*);
using clCommandCopyBufferKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr, cl_command_queue,
                                                    const cl_command_properties_khr*, cl_mem, cl_mem, size_t, size_t,
                                                    size_t, cl_uint, const cl_sync_point_khr*, cl_sync_point_khr*,
                                                    cl_mutable_command_khr*);
using clCommandCopyBufferRectKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr, cl_command_queue,
                                                        const cl_command_properties_khr*, cl_mem, cl_mem, const size_t*,
                                                        const size_t*, const size_t*, size_t, size_t, size_t, size_t,
                                                        cl_uint, const cl_sync_point_khr*, cl_sync_point_khr*,
                                                        cl_mutable_command_khr*);
using clCommandCopyBufferToImageKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr, cl_command_queue,
                                                           const cl_command_properties_khr*, cl_mem, cl_mem, size_t,
                                                           const size_t*, const size_t*, cl_uint,
                                                           const cl_sync_point_khr*, cl_sync_point_khr*,
                                                           cl_mutable_command_khr*);
using clCommandCopyImageKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr, cl_command_queue,
                                                   const cl_command_properties_khr*, cl_mem, cl_mem, const size_t*,
                                                   const size_t*, const size_t*, cl_uint, const cl_sync_point_khr*,
                                                   cl_sync_point_khr*, cl_mutable_command_khr*);
using clCommandCopyImageToBufferKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr, cl_command_queue,
                                                           const cl_command_properties_khr*, cl_mem, cl_mem,
                                                           const size_t*, const size_t*, size_t, cl_uint,
                                                           const cl_sync_point_khr*, cl_sync_point_khr*,
                                                           cl_mutable_command_khr*);
using clCommandFillBufferKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr, cl_command_queue,
                                                    const cl_command_properties_khr*, cl_mem, const void*, size_t,
                                                    size_t, size_t, cl_uint, const cl_sync_point_khr*,
                                                    cl_sync_point_khr*, cl_mutable_command_khr*);
using clCommandFillImageKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr, cl_command_queue,
                                                   const cl_command_properties_khr*, cl_mem, const void*, const size_t*,
                                                   const size_t*, cl_uint, const cl_sync_point_khr*, cl_sync_point_khr*,
                                                   cl_mutable_command_khr*);
using clCommandSVMMemcpyKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr, cl_command_queue,
                                                   const cl_command_properties_khr*, void*, const void*, size_t,
                                                   cl_uint, const cl_sync_point_khr*, cl_sync_point_khr*,
                                                   cl_mutable_command_khr*);
using clCommandSVMMemFillKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr, cl_command_queue,
                                                    const cl_command_properties_khr*, void*, const void*, size_t,
                                                    size_t, cl_uint, const cl_sync_point_khr*, cl_sync_point_khr*,
                                                    cl_mutable_command_khr*);
using clCommandNDRangeKernelKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr, cl_command_queue,
                                                       const cl_command_properties_khr*, cl_kernel, cl_uint,
                                                       const size_t*, const size_t*, const size_t*, cl_uint,
                                                       const cl_sync_point_khr*, cl_sync_point_khr*,
                                                       cl_mutable_command_khr*);
using clUpdateMutableCommandsKHR_t = cl_int CL_API_CALL(cl_command_buffer_khr, cl_uint,
                                                        const cl_command_buffer_update_type_khr*, const void**);
using clGetMutableCommandInfoKHR_t = cl_int CL_API_CALL(cl_mutable_command_khr, cl_mutable_command_info_khr, size_t,
                                                        void*, size_t*);
using clRemapCommandBufferKHR_t = cl_command_buffer_khr CL_API_CALL(cl_command_buffer_khr, cl_bool, cl_uint,
                                                                    const cl_command_queue*, cl_uint,
                                                                    const cl_mutable_command_khr*,
                                                                    cl_mutable_command_khr*, cl_int*);
// NOLINTEND(readability-identifier-naming)

} // namespace clotho::khr
