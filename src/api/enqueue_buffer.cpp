// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers of plain ranges: read, write, copy, fill; and maps and migration.
#include "api/enqueue_buffer.hpp"

#include <algorithm>
#include <bit>

namespace clotho::api {

Ref<MemoryObject> bufferFor(const Queue& queue, cl_mem rawBuffer) {
  const Ref<MemoryObject> buffer = object(rawBuffer);
  check(&buffer->context() == &queue.context(), CL_INVALID_CONTEXT, "buffer and queue are of different contexts");
  checkAlignment(queue, *buffer);
  return buffer;
}

void checkAlignment(const Queue& queue, const MemoryObject& buffer) {
  check(!buffer.parent() || buffer.origin() % queue.device().properties().baseAddressAlignment == 0,
        CL_MISALIGNED_SUB_BUFFER_OFFSET, "the queue's device cannot use a sub-buffer with this origin");
}

void checkHostReads(const MemoryObject& buffer) {
  check(!(buffer.flags() & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)), CL_INVALID_OPERATION,
        "the host may not read this buffer");
}

void checkHostWrites(const MemoryObject& buffer) {
  check(!(buffer.flags() & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)), CL_INVALID_OPERATION,
        "the host may not write this buffer");
}

namespace {

void checkRange(const MemoryObject& buffer, size_t offset, size_t size) {
  check(offset <= buffer.size() && size <= buffer.size() - offset, CL_INVALID_VALUE,
        "the range does not lie in the buffer");
}

bool sameBytes(const std::byte* a, const std::byte* b, size_t size) { return a < b + size && b < a + size; }

/// One row of bytes; nothing at all when there are none, but still a command with its place in the order.
Command copyCommand(const std::byte* source, std::byte* target, size_t size, Ref<MemoryObject> from,
                    Ref<MemoryObject> to) {
  if (size == 0) return Nothing{};
  return Copy{.source = source,
              .target = target,
              .rowBytes = size,
              .from = std::move(from),
              .to = std::move(to),
              .mayOverlap = sameBytes(source, target, size)};
}

} // namespace

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue rawQueue, cl_mem rawBuffer, cl_bool blocking, size_t offset,
                                       size_t size, void* pointer, cl_uint waitCount, const cl_event* waitEvents,
                                       cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> buffer = bufferFor(*queue, rawBuffer);
    checkRange(*buffer, offset, size);
    check(pointer, CL_INVALID_VALUE, "nowhere to read to");
    checkHostReads(*buffer);
    Waits waits(queue->context(), waitCount, waitEvents);
    finish(queue->submit(CL_COMMAND_READ_BUFFER,
                         copyCommand(buffer->addressOn(queue->device()) + offset, static_cast<std::byte*>(pointer),
                                     size, buffer, nullptr),
                         waits),
           blocking, out);
  });
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue rawQueue, cl_mem rawBuffer, cl_bool blocking, size_t offset,
                                        size_t size, const void* pointer, cl_uint waitCount, const cl_event* waitEvents,
                                        cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> buffer = bufferFor(*queue, rawBuffer);
    checkRange(*buffer, offset, size);
    check(pointer, CL_INVALID_VALUE, "nothing to write");
    checkHostWrites(*buffer);
    Waits waits(queue->context(), waitCount, waitEvents);
    finish(queue->submit(CL_COMMAND_WRITE_BUFFER,
                         copyCommand(static_cast<const std::byte*>(pointer),
                                     buffer->addressOn(queue->device()) + offset, size, nullptr, buffer),
                         waits),
           blocking, out);
  });
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue rawQueue, cl_mem rawSource, cl_mem rawTarget,
                                       size_t sourceOffset, size_t targetOffset, size_t size, cl_uint waitCount,
                                       const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> source = bufferFor(*queue, rawSource);
    const Ref<MemoryObject> target = bufferFor(*queue, rawTarget);
    checkRange(*source, sourceOffset, size);
    checkRange(*target, targetOffset, size);
    check(!source->overlaps(sourceOffset, *target, targetOffset, size), CL_MEM_COPY_OVERLAP,
          "source and target have bytes in common");
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submit(CL_COMMAND_COPY_BUFFER,
                       copyCommand(source->addressOn(queue->device()) + sourceOffset,
                                   target->addressOn(queue->device()) + targetOffset, size, source, target),
                       waits),
         out);
  });
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue rawQueue, cl_mem rawBuffer, const void* pattern,
                                       size_t patternSize, size_t offset, size_t size, cl_uint waitCount,
                                       const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> buffer = bufferFor(*queue, rawBuffer);
    check(pattern, CL_INVALID_VALUE, "no pattern");
    check(std::has_single_bit(patternSize) && patternSize <= 128, CL_INVALID_VALUE,
          "the size of the pattern is not a power of two up to 128");
    checkRange(*buffer, offset, size);
    check(offset % patternSize == 0 && size % patternSize == 0, CL_INVALID_VALUE,
          "offset or size is not a multiple of the pattern's");
    Waits waits(queue->context(), waitCount, waitEvents);
    Command command = Nothing{};
    if (size > 0) {
      Fill& fill = command.emplace<Fill>();
      fill.target = buffer->addressOn(queue->device()) + offset;
      fill.size = size;
      fill.patternSize = patternSize;
      std::memcpy(fill.pattern.data(), pattern, patternSize);
      fill.to = buffer;
    }
    give(queue->submit(CL_COMMAND_FILL_BUFFER, std::move(command), waits), out);
  });
}

void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue rawQueue, cl_mem rawBuffer, cl_bool blocking, cl_map_flags flags,
                                     size_t offset, size_t size, cl_uint waitCount, const cl_event* waitEvents,
                                     cl_event* out, cl_int* status) {
  return create(status, [&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> buffer = bufferFor(*queue, rawBuffer);
    checkRange(*buffer, offset, size);
    check(size > 0, CL_INVALID_VALUE, "the range is empty");
    constexpr cl_map_flags kPlain = CL_MAP_READ | CL_MAP_WRITE;
    check(!(flags & ~(kPlain | CL_MAP_WRITE_INVALIDATE_REGION)), CL_INVALID_VALUE, "unknown map flag");
    check(!(flags & CL_MAP_WRITE_INVALIDATE_REGION) || !(flags & kPlain), CL_INVALID_VALUE,
          "CL_MAP_WRITE_INVALIDATE_REGION excludes the other map flags");
    if (flags & CL_MAP_READ) checkHostReads(*buffer);
    if (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) checkHostWrites(*buffer);
    Waits waits(queue->context(), waitCount, waitEvents);
    void* pointer = buffer->addMapping({offset, size, flags});
    try {
      finish(queue->submit(CL_COMMAND_MAP_BUFFER, Nothing{}, waits), blocking, out);
    } catch (...) {
      buffer->removeMapping(pointer);
      throw;
    }
    return pointer;
  });
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue rawQueue, cl_mem rawMemory, void* pointer,
                                           cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> memory = object(rawMemory);
    check(&memory->context() == &queue->context(), CL_INVALID_CONTEXT, "buffer and queue are of different contexts");
    Waits waits(queue->context(), waitCount, waitEvents);
    // The map ends for the book-keeping as soon as its end is enqueued: what is enqueued later comes after it.
    memory->removeMapping(pointer);
    give(queue->submit(CL_COMMAND_UNMAP_MEM_OBJECT, Unmap{memory, pointer}, waits), out);
  });
}

cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue rawQueue, cl_uint count, const cl_mem* list,
                                              cl_mem_migration_flags flags, cl_uint waitCount,
                                              const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    check(count > 0 && list, CL_INVALID_VALUE, "no memory objects");
    check(!(flags & ~cl_mem_migration_flags{CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED}),
          CL_INVALID_VALUE, "unknown migration flag");
    for (cl_uint i = 0; i < count; ++i)
      check(&object(list[i])->context() == &queue->context(), CL_INVALID_CONTEXT,
            "memory object and queue are of different contexts");
    Waits waits(queue->context(), waitCount, waitEvents);
    // Host and device share the one copy, so nothing has to move.
    give(queue->submit(CL_COMMAND_MIGRATE_MEM_OBJECTS, Nothing{}, waits), out);
  });
}

} // namespace clotho::api
