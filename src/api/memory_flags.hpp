// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/later_headers.hpp"
#include "runtime/memory/memory.hpp"

/// The rules of cl_mem_flags (OpenCL 3.0, table 13), which buffers, sub-buffers and images have in common.
namespace clotho::api {

/// Combinations that no memory object may have: CL_INVALID_VALUE.
void checkFlags(cl_mem_flags flags);
/// The flags of a buffer or image with memory of its own: checked, and with what 0 stands for. `hasContents`: already,
/// without a host pointer.
cl_mem_flags ownFlags(cl_mem_flags flags, bool hasContents = false);
/// CL_INVALID_HOST_PTR when there is a pointer without a flag that uses it, or the other way round.
void checkHostPointer(cl_mem_flags flags, const void* hostPointer);
/// The flags of a sub-buffer, or of an image of another object's bytes: what they do not say they inherit, and they may
/// not allow more (sections 5.2.1 and 5.3.1). A sub-buffer is immutable like its buffer; an image has to say so.
cl_mem_flags subBufferFlags(const MemoryObject& parent, cl_mem_flags flags);
cl_mem_flags viewFlags(const MemoryObject& parent, cl_mem_flags flags);

void checkHostReads(const MemoryObject& memory);
void checkHostWrites(const MemoryObject& memory);
/// CL_INVALID_OPERATION for what commands may not write (cl_ext_immutable_memory_objects).
void checkMutable(const MemoryObject& memory);
/// The flags of a map: CL_INVALID_VALUE for what is none.
void checkMapFlags(cl_map_flags flags);
/// CL_INVALID_OPERATION where the object's flags forbid a map.
void checkMappable(const MemoryObject& memory, cl_map_flags flags);

} // namespace clotho::api
