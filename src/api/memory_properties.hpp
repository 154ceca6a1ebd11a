// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/memory/external_memory.hpp"
#include "runtime/objects/context.hpp"

#include <CL/cl.h>

#include <memory>
#include <optional>
#include <vector>

/// The properties that buffers and images are made with.
namespace clotho::api {

struct MemoryProperties {
  std::vector<cl_mem_properties> list; ///< with its terminator; empty when there was none
  std::optional<ExternalImport> external;
};

/// Checked, but for what depends on flags and sizes. Only buffers have addresses that can be asked for
/// (cl_ext_buffer_device_address).
MemoryProperties parseBufferProperties(const Context& context, const cl_mem_properties* properties);
MemoryProperties parseImageProperties(const Context& context, const cl_mem_properties* properties);

/// CL_INVALID_VALUE and CL_INVALID_HOST_PTR for what an object with external memory cannot have besides.
void checkExternal(cl_mem_flags flags, const void* hostPointer);
/// The memory for an object of `size` bytes; `tooLarge` where there is less. The application's descriptor is not taken.
std::unique_ptr<ExternalMemory> mapExternal(const ExternalImport& import, cl_mem_flags flags, std::size_t size,
                                            cl_int tooLarge);

} // namespace clotho::api
