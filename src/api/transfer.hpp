// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "api/parse.hpp"

namespace clotho::api {

/// One side of a transfer: rows of a memory object where the queue works with them, or of the host's memory.
struct Side {
  std::byte* bytes; ///< what the region's first byte is counted from
  ByteRegion region;
  Operand operand{};

  std::byte* begin() const { return bytes + region.first; }
  std::byte* end() const { return bytes + region.end(); }
};

/// Allocates in the queue's home: CL_MEM_OBJECT_ALLOCATION_FAILURE.
Side inMemory(const Queue& queue, const Ref<MemoryObject>& memory, const ByteRegion& region);
Side onHost(const void* pointer, const ByteRegion& region);

/// A transfer from one side to the other, which have as many rows of the same length.
Command copyCommand(Side from, Side to);
/// A fill of all rows with a pattern of a power of two up to 128 bytes, of which each row holds a whole number.
Command fillCommand(Side to, const void* pattern, std::size_t patternBytes);

/// A map of a region of a memory object, from its book-keeping to its event; the address of the region's first byte.
void* enqueueMap(cl_command_type type, Queue& queue, const Ref<MemoryObject>& memory, const ByteRegion& region,
                 cl_map_flags flags, WaitList waits, cl_bool blocking, cl_event* out);

/// An object as the operand of a command in `queue`: of the same context, and of the right kind, CL_INVALID_MEM_OBJECT.
Ref<MemoryObject> memoryFor(const Queue& queue, cl_mem raw);
/// Also aligned for the queue's device.
Ref<MemoryObject> bufferFor(const Queue& queue, cl_mem rawBuffer);
Ref<MemoryObject> imageFor(const Queue& queue, cl_mem rawImage);
/// CL_MISALIGNED_SUB_BUFFER_OFFSET: what was fine for one device at creation may not be for this one.
void checkAlignment(const Queue& queue, const MemoryObject& buffer);

} // namespace clotho::api
