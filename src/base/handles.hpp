// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>
#include <CL/cl_icd.h>

/// The part of a handle that the ICD loader reads: the dispatch table comes first. Objects derive from these.
namespace clotho {
/// The table that every handle points to; defined by api/dispatch.cpp.
extern const cl_icd_dispatch* const kDispatch;

struct HandleBase {
  const cl_icd_dispatch* dispatch = kDispatch;
};
} // namespace clotho

struct _cl_platform_id : clotho::HandleBase {};
struct _cl_device_id : clotho::HandleBase {};
struct _cl_context : clotho::HandleBase {};
struct _cl_command_queue : clotho::HandleBase {};
struct _cl_mem : clotho::HandleBase {};
struct _cl_program : clotho::HandleBase {};
struct _cl_kernel : clotho::HandleBase {};
struct _cl_event : clotho::HandleBase {};
struct _cl_sampler : clotho::HandleBase {};
struct _cl_command_buffer_khr : clotho::HandleBase {};
struct _cl_mutable_command_khr : clotho::HandleBase {};
struct _cl_semaphore_khr : clotho::HandleBase {};
