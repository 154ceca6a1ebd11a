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

/// One side of a transfer: bytes of a buffer where the queue works with them, or of the host's memory.
struct Side {
  std::byte* bytes;
  Operand operand;
};

Side inBuffer(const Queue& queue, const Ref<MemoryObject>& buffer, size_t offset, size_t size, Access access) {
  return {buffer->bytesOn(queue.home()) + offset, {buffer, buffer->range(offset, size), access}};
}

Side onHost(void* pointer) { return {static_cast<std::byte*>(pointer), {}}; }

/// One row of bytes; nothing at all when there are none, but still a command with its place in the order.
Command copyCommand(Side from, Side to, size_t size) {
  if (size == 0) return Nothing{};
  return Copy{.source = from.bytes,
              .target = to.bytes,
              .rowBytes = size,
              .from = std::move(from.operand),
              .to = std::move(to.operand),
              .mayOverlap = sameBytes(from.bytes, to.bytes, size)};
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
                         copyCommand(inBuffer(*queue, buffer, offset, size, Access::Read), onHost(pointer), size),
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
                         copyCommand(onHost(const_cast<void*>(pointer)),
                                     inBuffer(*queue, buffer, offset, size, Access::Discard), size),
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
                       copyCommand(inBuffer(*queue, source, sourceOffset, size, Access::Read),
                                   inBuffer(*queue, target, targetOffset, size, Access::Discard), size),
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
      fill.target = buffer->bytesOn(queue->home()) + offset;
      fill.size = size;
      fill.patternSize = patternSize;
      std::memcpy(fill.pattern.data(), pattern, patternSize);
      fill.to = {buffer, buffer->range(offset, size), Access::Discard};
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
    const MemoryObject::Mapping mapping{offset, size, flags};
    void* pointer = buffer->addMapping(mapping);
    try {
      // What is mapped for writing alone may be left as it is; what is invalidated need not be moved.
      const Access access = flags & CL_MAP_WRITE_INVALIDATE_REGION ? Access::Discard : Access::Read;
      Map map{{buffer, buffer->range(offset, size), access}};
      finish(queue->submitTo(kHostHome, CL_COMMAND_MAP_BUFFER, std::move(map), waits), blocking, out);
    } catch (...) {
      buffer->takeBackMapping(mapping);
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
    const Range written = memory->removeMapping(pointer);
    give(queue->submitTo(kHostHome, CL_COMMAND_UNMAP_MEM_OBJECT, Unmap{memory, written}, waits), out);
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
    const HomeId home = flags & CL_MIGRATE_MEM_OBJECT_HOST ? kHostHome : queue->home();
    const Access access = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED ? Access::Discard : Access::Read;
    Migrate migrate;
    for (cl_uint i = 0; i < count; ++i) {
      const Ref<MemoryObject> memory = object(list[i]);
      check(&memory->context() == &queue->context(), CL_INVALID_CONTEXT,
            "memory object and queue are of different contexts");
      static_cast<void>(memory->bytesOn(home));
      migrate.operands.push_back({memory, memory->range(), access});
    }
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submitTo(home, CL_COMMAND_MIGRATE_MEM_OBJECTS, std::move(migrate), waits), out);
  });
}

} // namespace clotho::api
