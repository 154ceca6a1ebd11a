// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/transfer.hpp"

#include <cstring>

namespace clotho::api {

Side inMemory(const Queue& queue, const Ref<MemoryObject>& memory, const ByteRegion& region) {
  return {memory->bytesOn(queue.home()), region, {memory, memory->range(region.first, region.span()), Access::Read}};
}

Side onHost(const void* pointer, const ByteRegion& region) {
  return {static_cast<std::byte*>(const_cast<void*>(pointer)), region};
}

Command copyCommand(Side from, Side to) {
  to.operand.access = to.region.isWhole() ? Access::Discard : Access::ReadWrite;
  return Copy{.source = from.begin(),
              .target = to.begin(),
              .rowBytes = to.region.rowBytes,
              .rows = to.region.rows,
              .slices = to.region.slices,
              .sourceRowPitch = from.region.rowPitch,
              .sourceSlicePitch = from.region.slicePitch,
              .targetRowPitch = to.region.rowPitch,
              .targetSlicePitch = to.region.slicePitch,
              .from = std::move(from.operand),
              .to = std::move(to.operand),
              .mayOverlap = from.begin() < to.end() && to.begin() < from.end()};
}

Command fillCommand(Side to, const void* pattern, std::size_t patternBytes) {
  Fill fill;
  fill.target = to.begin();
  fill.rowBytes = to.region.rowBytes;
  fill.rows = to.region.rows;
  fill.slices = to.region.slices;
  fill.rowPitch = to.region.rowPitch;
  fill.slicePitch = to.region.slicePitch;
  fill.patternSize = patternBytes;
  std::memcpy(fill.pattern.data(), pattern, patternBytes);
  fill.to = std::move(to.operand);
  fill.to.access = to.region.isWhole() ? Access::Discard : Access::ReadWrite;
  return fill;
}

void* enqueueMap(cl_command_type type, Queue& queue, const Ref<MemoryObject>& memory, const ByteRegion& region,
                 cl_map_flags flags, WaitList waits, cl_bool blocking, cl_event* out) {
  const MemoryObject::Mapping mapping{region, flags};
  const MemoryObject::BegunMap begun = memory->addMapping(mapping);
  try {
    // Bytes that are mapped for writing alone may be left as they are; those that are invalidated need not be moved.
    const bool isNew = (flags & CL_MAP_WRITE_INVALIDATE_REGION) && region.isWhole();
    Map map{{memory, memory->range(region.first, region.span()), isNew ? Access::Discard : Access::Read}, begun.number};
    finish(queue.submitTo(kHostHome, type, std::move(map), waits), blocking, out);
  } catch (...) {
    memory->takeBackMap(begun.number);
    throw;
  }
  return begun.pointer;
}

Ref<MemoryObject> memoryFor(const Queue& queue, cl_mem raw) {
  Ref<MemoryObject> memory = object(raw);
  check(&memory->context() == &queue.context(), CL_INVALID_CONTEXT,
        "memory object and queue are of different contexts");
  return memory;
}

Ref<MemoryObject> bufferFor(const Queue& queue, cl_mem rawBuffer) {
  Ref<MemoryObject> buffer = memoryFor(queue, rawBuffer);
  check(buffer->isBuffer(), CL_INVALID_MEM_OBJECT, "not a buffer");
  checkAlignment(queue, *buffer);
  return buffer;
}

Ref<MemoryObject> imageFor(const Queue& queue, cl_mem rawImage) {
  Ref<MemoryObject> image = memoryFor(queue, rawImage);
  check(image->image(), CL_INVALID_MEM_OBJECT, "not an image");
  return image;
}

void checkAlignment(const Queue& queue, const MemoryObject& buffer) {
  check(!buffer.isSubBuffer() || buffer.origin() % queue.device().properties().baseAddressAlignment == 0,
        CL_MISALIGNED_SUB_BUFFER_OFFSET, "the queue's device cannot use a sub-buffer with this origin");
}

} // namespace clotho::api
