// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers of rectangular regions.
#include "api/commands.hpp"
#include "api/memory_flags.hpp"
#include "api/transfer.hpp"

namespace clotho::api {

namespace {

using Triple = std::array<size_t, 3>;

Triple triple(const size_t* values, const char* why) {
  check(values, CL_INVALID_VALUE, why);
  return {values[0], values[1], values[2]};
}

/// `a * b + c`, or an error where it does not fit: no such region lies in any buffer.
size_t multiplyAdd(size_t a, size_t b, size_t c) {
  size_t result;
  check(!__builtin_mul_overflow(a, b, &result) && !__builtin_add_overflow(result, c, &result), CL_INVALID_VALUE,
        "the region does not lie in the buffer");
  return result;
}

/// Defaults and rules of pitches (section 5.2.2): what a row or a slice cannot hold is refused, and so is a slice that
/// is no whole number of rows. The region's end can be counted by a size_t.
ByteRegion parseSide(const Triple& origin, const Triple& region, size_t rowPitch, size_t slicePitch) {
  if (rowPitch == 0) rowPitch = region[0];
  check(rowPitch >= region[0], CL_INVALID_VALUE, "the row pitch is less than a row");
  size_t leastSlice = multiplyAdd(region[1], rowPitch, 0);
  if (slicePitch == 0) slicePitch = leastSlice;
  check(slicePitch >= leastSlice && slicePitch % rowPitch == 0, CL_INVALID_VALUE,
        "the slice pitch is less than a slice or no multiple of the row pitch");
  const size_t first = multiplyAdd(origin[2], slicePitch, multiplyAdd(origin[1], rowPitch, origin[0]));
  // The last row need not be followed by its whole pitch.
  multiplyAdd(region[2] - 1, slicePitch, multiplyAdd(region[1] - 1, rowPitch, multiplyAdd(1, region[0], first)));
  return {first, region[0], region[1], region[2], rowPitch, slicePitch};
}

Triple parseRegion(const size_t* raw) {
  Triple region = triple(raw, "no region");
  check(region[0] > 0 && region[1] > 0 && region[2] > 0, CL_INVALID_VALUE, "the region is empty");
  return region;
}

void checkInside(const ByteRegion& region, const MemoryObject& buffer) {
  check(region.end() <= buffer.size(), CL_INVALID_VALUE, "the region does not lie in the buffer");
}

} // namespace

cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue rawQueue, cl_mem rawBuffer, cl_bool blocking,
                                           const size_t* bufferOrigin, const size_t* hostOrigin,
                                           const size_t* rawRegion, size_t bufferRowPitch, size_t bufferSlicePitch,
                                           size_t hostRowPitch, size_t hostSlicePitch, void* pointer, cl_uint waitCount,
                                           const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> buffer = bufferFor(*queue, rawBuffer);
    check(pointer, CL_INVALID_VALUE, "nowhere to read to");
    Triple region = parseRegion(rawRegion);
    const ByteRegion inBuffer =
        parseSide(triple(bufferOrigin, "no buffer origin"), region, bufferRowPitch, bufferSlicePitch);
    const ByteRegion inHost = parseSide(triple(hostOrigin, "no host origin"), region, hostRowPitch, hostSlicePitch);
    checkInside(inBuffer, *buffer);
    checkHostReads(*buffer);
    Waits waits(queue->context(), waitCount, waitEvents);
    finish(queue->submit(CL_COMMAND_READ_BUFFER_RECT,
                         copyCommand(inMemory(*queue, buffer, inBuffer), onHost(pointer, inHost)), waits),
           blocking, out);
  });
}

cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue rawQueue, cl_mem rawBuffer, cl_bool blocking,
                                            const size_t* bufferOrigin, const size_t* hostOrigin,
                                            const size_t* rawRegion, size_t bufferRowPitch, size_t bufferSlicePitch,
                                            size_t hostRowPitch, size_t hostSlicePitch, const void* pointer,
                                            cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> buffer = bufferFor(*queue, rawBuffer);
    check(pointer, CL_INVALID_VALUE, "nothing to write");
    Triple region = parseRegion(rawRegion);
    const ByteRegion inBuffer =
        parseSide(triple(bufferOrigin, "no buffer origin"), region, bufferRowPitch, bufferSlicePitch);
    const ByteRegion inHost = parseSide(triple(hostOrigin, "no host origin"), region, hostRowPitch, hostSlicePitch);
    checkInside(inBuffer, *buffer);
    checkHostWrites(*buffer);
    Waits waits(queue->context(), waitCount, waitEvents);
    finish(queue->submit(CL_COMMAND_WRITE_BUFFER_RECT,
                         copyCommand(onHost(pointer, inHost), inMemory(*queue, buffer, inBuffer)), waits),
           blocking, out);
  });
}

Command copyBufferRect(const Queue& queue, cl_mem rawSource, cl_mem rawTarget, const size_t* sourceOrigin,
                       const size_t* targetOrigin, const size_t* rawRegion, size_t sourceRowPitch,
                       size_t sourceSlicePitch, size_t targetRowPitch, size_t targetSlicePitch) {
  const Ref<MemoryObject> source = bufferFor(queue, rawSource);
  const Ref<MemoryObject> target = bufferFor(queue, rawTarget);
  const Triple region = parseRegion(rawRegion);
  const ByteRegion from = parseSide(triple(sourceOrigin, "no source origin"), region, sourceRowPitch, sourceSlicePitch);
  const ByteRegion to = parseSide(triple(targetOrigin, "no target origin"), region, targetRowPitch, targetSlicePitch);
  checkInside(from, *source);
  checkInside(to, *target);
  check(source.get() != target.get() || (from.rowPitch == to.rowPitch && from.slicePitch == to.slicePitch),
        CL_INVALID_VALUE, "within one buffer both sides have the same pitches");
  check(!source->overlaps(from, *target, to), CL_MEM_COPY_OVERLAP, "source and target have bytes in common");
  checkMutable(*target);
  Command command = copyCommand(inMemory(queue, source, from), inMemory(queue, target, to));
  // No byte is on both sides, so the order of rows does not matter even where the bounds overlap.
  std::get<Copy>(command).mayOverlap = false;
  return command;
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue rawQueue, cl_mem rawSource, cl_mem rawTarget,
                                           const size_t* sourceOrigin, const size_t* targetOrigin,
                                           const size_t* rawRegion, size_t sourceRowPitch, size_t sourceSlicePitch,
                                           size_t targetRowPitch, size_t targetSlicePitch, cl_uint waitCount,
                                           const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    Command command = copyBufferRect(*queue, rawSource, rawTarget, sourceOrigin, targetOrigin, rawRegion,
                                     sourceRowPitch, sourceSlicePitch, targetRowPitch, targetSlicePitch);
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submit(CL_COMMAND_COPY_BUFFER_RECT, std::move(command), waits, out != nullptr), out);
  });
}

} // namespace clotho::api
