// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "api/commands.hpp"

#include <initializer_list>
#include <utility>

/// Parts that the functions of cl_khr_command_buffer and its layers have in common.
namespace clotho::api {

/// Capabilities of devices with command buffers (CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR and the like); those whose
/// kernels enqueue others do so in command buffers, too.
inline constexpr cl_device_command_buffer_capabilities_khr kCommandBufferCapabilities =
    CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR |
    CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR;
inline constexpr cl_command_queue_properties kCommandBufferQueueProperties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
inline constexpr cl_mutable_dispatch_fields_khr kMutableFields =
    CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR |
    CL_MUTABLE_DISPATCH_ARGUMENTS_KHR | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;
/// All devices run commands of one graph, without the application.
inline constexpr cl_platform_command_buffer_capabilities_khr kPlatformCommandBuffers =
    CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR | CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR |
    CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR;

/// A list of properties with their places; CL_INVALID_VALUE for one that is not among `names`, or is there twice.
template <class T> void parseProperties(const T* list, std::initializer_list<std::pair<T, T*>> names) {
  std::vector<bool> seen(names.size());
  for (const T* p = list; p && *p; p += 2) {
    std::size_t i = 0;
    while (i < names.size() && names.begin()[i].first != *p)
      ++i;
    check(i < names.size(), CL_INVALID_VALUE, "unknown property");
    check(!seen[i], CL_INVALID_VALUE, "a property given twice");
    seen[i] = true;
    *names.begin()[i].second = p[1];
  }
}

/// A launch as it is recorded, with its range checked.
CheckedLaunch checkDispatch(const Queue& queue, const Dispatch& dispatch, bool mayLackArguments);
/// Null while it lacks arguments.
Ref<RecordedCommand> recordedLaunch(const Queue& queue, const Dispatch& dispatch, const CheckedLaunch& checked);

} // namespace clotho::api
