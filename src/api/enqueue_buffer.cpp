// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers of plain ranges: read, write, copy, fill; and maps and migration.
#include "api/commands.hpp"
#include "api/memory_flags.hpp"
#include "api/shared_memory.hpp"
#include "api/transfer.hpp"

#include <bit>

namespace clotho::api {

namespace {

/// One row of bytes that lie in the buffer.
ByteRegion rowIn(const MemoryObject& buffer, size_t offset, size_t size) {
  check(offset <= buffer.size() && size <= buffer.size() - offset, CL_INVALID_VALUE,
        "the range does not lie in the buffer");
  return {.first = offset, .rowBytes = size};
}

/// Nothing at all when there are no bytes, but still a command with its place in the order.
Command unlessEmpty(const ByteRegion& region, Command&& command) {
  return region.rowBytes == 0 ? Command(Nothing{}) : std::move(command);
}

} // namespace

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue rawQueue, cl_mem rawBuffer, cl_bool blocking, size_t offset,
                                       size_t size, void* pointer, cl_uint waitCount, const cl_event* waitEvents,
                                       cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> buffer = bufferFor(*queue, rawBuffer);
    const ByteRegion row = rowIn(*buffer, offset, size);
    check(pointer, CL_INVALID_VALUE, "nowhere to read to");
    checkHostReads(*buffer);
    Waits waits(queue->context(), waitCount, waitEvents);
    Command command = unlessEmpty(row, copyCommand(inMemory(*queue, buffer, row), onHost(pointer, {.rowBytes = size})));
    finish(queue->submit(CL_COMMAND_READ_BUFFER, std::move(command), waits), blocking, out);
  });
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue rawQueue, cl_mem rawBuffer, cl_bool blocking, size_t offset,
                                        size_t size, const void* pointer, cl_uint waitCount, const cl_event* waitEvents,
                                        cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> buffer = bufferFor(*queue, rawBuffer);
    const ByteRegion row = rowIn(*buffer, offset, size);
    check(pointer, CL_INVALID_VALUE, "nothing to write");
    checkHostWrites(*buffer);
    Waits waits(queue->context(), waitCount, waitEvents);
    Command command = unlessEmpty(row, copyCommand(onHost(pointer, {.rowBytes = size}), inMemory(*queue, buffer, row)));
    finish(queue->submit(CL_COMMAND_WRITE_BUFFER, std::move(command), waits), blocking, out);
  });
}

Command copyBuffer(const Queue& queue, cl_mem rawSource, cl_mem rawTarget, size_t sourceOffset, size_t targetOffset,
                   size_t size) {
  const Ref<MemoryObject> source = bufferFor(queue, rawSource);
  const Ref<MemoryObject> target = bufferFor(queue, rawTarget);
  const ByteRegion from = rowIn(*source, sourceOffset, size), to = rowIn(*target, targetOffset, size);
  check(!source->overlaps(from, *target, to), CL_MEM_COPY_OVERLAP, "source and target have bytes in common");
  checkMutable(*target);
  return unlessEmpty(to, copyCommand(inMemory(queue, source, from), inMemory(queue, target, to)));
}

Command fillBuffer(const Queue& queue, cl_mem rawBuffer, const void* pattern, size_t patternSize, size_t offset,
                   size_t size) {
  const Ref<MemoryObject> buffer = bufferFor(queue, rawBuffer);
  check(pattern, CL_INVALID_VALUE, "no pattern");
  check(std::has_single_bit(patternSize) && patternSize <= 128, CL_INVALID_VALUE,
        "the size of the pattern is not a power of two up to 128");
  const ByteRegion row = rowIn(*buffer, offset, size);
  check(offset % patternSize == 0 && size % patternSize == 0, CL_INVALID_VALUE,
        "offset or size is not a multiple of the pattern's");
  checkMutable(*buffer);
  return unlessEmpty(row, fillCommand(inMemory(queue, buffer, row), pattern, patternSize));
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue rawQueue, cl_mem rawSource, cl_mem rawTarget,
                                       size_t sourceOffset, size_t targetOffset, size_t size, cl_uint waitCount,
                                       const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    Command command = copyBuffer(*queue, rawSource, rawTarget, sourceOffset, targetOffset, size);
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submit(CL_COMMAND_COPY_BUFFER, std::move(command), waits, out != nullptr), out);
  });
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue rawQueue, cl_mem rawBuffer, const void* pattern,
                                       size_t patternSize, size_t offset, size_t size, cl_uint waitCount,
                                       const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    Command command = fillBuffer(*queue, rawBuffer, pattern, patternSize, offset, size);
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submit(CL_COMMAND_FILL_BUFFER, std::move(command), waits, out != nullptr), out);
  });
}

void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue rawQueue, cl_mem rawBuffer, cl_bool blocking, cl_map_flags flags,
                                     size_t offset, size_t size, cl_uint waitCount, const cl_event* waitEvents,
                                     cl_event* out, cl_int* status) {
  return create(status, [&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> buffer = bufferFor(*queue, rawBuffer);
    const ByteRegion row = rowIn(*buffer, offset, size);
    check(size > 0, CL_INVALID_VALUE, "the range is empty");
    checkMapFlags(flags);
    checkMappable(*buffer, flags);
    Waits waits(queue->context(), waitCount, waitEvents);
    return enqueueMap(CL_COMMAND_MAP_BUFFER, *queue, buffer, row, flags, waits, blocking, out);
  });
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue rawQueue, cl_mem rawMemory, void* pointer,
                                           cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> memory = memoryFor(*queue, rawMemory);
    check(!memory->pipe(), CL_INVALID_MEM_OBJECT, "pipes are never mapped");
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
    Migrate migrate{.operands = {}, .isToHost = home == kHostHome};
    for (cl_uint i = 0; i < count; ++i) {
      const Ref<MemoryObject> memory = memoryFor(*queue, list[i]);
      auto* bytes = static_cast<std::byte*>(memory->bytesOn(home));
      if (memory->storage().isShared()) addShared(migrate, *queue, bytes, memory->size());
      migrate.operands.push_back({memory, memory->range(), access});
    }
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submitTo(home, CL_COMMAND_MIGRATE_MEM_OBJECTS, std::move(migrate), waits), out);
  });
}

} // namespace clotho::api
