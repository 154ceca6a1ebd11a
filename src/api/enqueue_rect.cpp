// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers of rectangular regions.
#include "api/enqueue_buffer.hpp"

#include <algorithm>

namespace clotho::api {

namespace {

using Triple = std::array<size_t, 3>;

/// One side of a transfer: where its first byte lies and how far apart rows and slices are.
struct Side {
  size_t first, rowPitch, slicePitch;
};

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
/// is no whole number of rows.
Side parseSide(const Triple& origin, const Triple& region, size_t rowPitch, size_t slicePitch) {
  if (rowPitch == 0) rowPitch = region[0];
  check(rowPitch >= region[0], CL_INVALID_VALUE, "the row pitch is less than a row");
  size_t leastSlice = multiplyAdd(region[1], rowPitch, 0);
  if (slicePitch == 0) slicePitch = leastSlice;
  check(slicePitch >= leastSlice && slicePitch % rowPitch == 0, CL_INVALID_VALUE,
        "the slice pitch is less than a slice or no multiple of the row pitch");
  return {multiplyAdd(origin[2], slicePitch, multiplyAdd(origin[1], rowPitch, origin[0])), rowPitch, slicePitch};
}

Triple parseRegion(const size_t* raw) {
  Triple region = triple(raw, "no region");
  check(region[0] > 0 && region[1] > 0 && region[2] > 0, CL_INVALID_VALUE, "the region is empty");
  return region;
}

/// One past the last byte. The last row need not be followed by its whole pitch.
size_t endOf(const Side& side, const Triple& region) {
  return multiplyAdd(region[2] - 1, side.slicePitch,
                     multiplyAdd(region[1] - 1, side.rowPitch, multiplyAdd(1, region[0], side.first)));
}

void checkInside(const Side& side, const Triple& region, const MemoryObject& buffer) {
  check(endOf(side, region) <= buffer.size(), CL_INVALID_VALUE, "the region does not lie in the buffer");
}

/// Whether two regions of the same bytes share one. Rows ascend on both sides, so one walk along both finds out; the
/// usual case is decided by the outer bounds.
bool shareBytes(Side a, Side b, const Triple& region) {
  if (a.first >= endOf(b, region) || b.first >= endOf(a, region)) return false;
  size_t rows = region[1] * region[2];
  auto rowStart = [&](const Side& side, size_t row) {
    return side.first + row / region[1] * side.slicePitch + row % region[1] * side.rowPitch;
  };
  for (size_t i = 0, j = 0; i < rows && j < rows;) {
    size_t startA = rowStart(a, i), startB = rowStart(b, j);
    if (startA < startB + region[0] && startB < startA + region[0]) return true;
    (startA < startB ? i : j)++;
  }
  return false;
}

/// The bytes of a side: of a buffer where the queue works with them, or of the host's memory.
struct Bytes {
  std::byte* begin;
  Operand operand{};
};

Bytes bytesOf(const Queue& queue, const Ref<MemoryObject>& buffer, const Side& side, const Triple& region) {
  return {buffer->bytesOn(queue.home()),
          {buffer, buffer->range(side.first, endOf(side, region) - side.first), Access::Read}};
}

Command rectCommand(Bytes source, const Side& from, Bytes target, const Side& to, const Triple& region) {
  // Between rows bytes are left as they were.
  const bool isDense = endOf(to, region) - to.first == region[0] * region[1] * region[2];
  target.operand.access = isDense ? Access::Discard : Access::ReadWrite;
  return Copy{.source = source.begin + from.first,
              .target = target.begin + to.first,
              .rowBytes = region[0],
              .rows = region[1],
              .slices = region[2],
              .sourceRowPitch = from.rowPitch,
              .sourceSlicePitch = from.slicePitch,
              .targetRowPitch = to.rowPitch,
              .targetSlicePitch = to.slicePitch,
              .from = std::move(source.operand),
              .to = std::move(target.operand),
              .mayOverlap = source.begin + from.first < target.begin + endOf(to, region) &&
                            target.begin + to.first < source.begin + endOf(from, region)};
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
    Side inBuffer = parseSide(triple(bufferOrigin, "no buffer origin"), region, bufferRowPitch, bufferSlicePitch);
    Side onHost = parseSide(triple(hostOrigin, "no host origin"), region, hostRowPitch, hostSlicePitch);
    checkInside(inBuffer, region, *buffer);
    checkHostReads(*buffer);
    Waits waits(queue->context(), waitCount, waitEvents);
    finish(queue->submit(CL_COMMAND_READ_BUFFER_RECT,
                         rectCommand(bytesOf(*queue, buffer, inBuffer, region), inBuffer,
                                     {static_cast<std::byte*>(pointer)}, onHost, region),
                         waits),
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
    Side inBuffer = parseSide(triple(bufferOrigin, "no buffer origin"), region, bufferRowPitch, bufferSlicePitch);
    Side onHost = parseSide(triple(hostOrigin, "no host origin"), region, hostRowPitch, hostSlicePitch);
    checkInside(inBuffer, region, *buffer);
    checkHostWrites(*buffer);
    Waits waits(queue->context(), waitCount, waitEvents);
    finish(queue->submit(CL_COMMAND_WRITE_BUFFER_RECT,
                         rectCommand({static_cast<std::byte*>(const_cast<void*>(pointer))}, onHost,
                                     bytesOf(*queue, buffer, inBuffer, region), inBuffer, region),
                         waits),
           blocking, out);
  });
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue rawQueue, cl_mem rawSource, cl_mem rawTarget,
                                           const size_t* sourceOrigin, const size_t* targetOrigin,
                                           const size_t* rawRegion, size_t sourceRowPitch, size_t sourceSlicePitch,
                                           size_t targetRowPitch, size_t targetSlicePitch, cl_uint waitCount,
                                           const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> source = bufferFor(*queue, rawSource);
    const Ref<MemoryObject> target = bufferFor(*queue, rawTarget);
    Triple region = parseRegion(rawRegion);
    Side from = parseSide(triple(sourceOrigin, "no source origin"), region, sourceRowPitch, sourceSlicePitch);
    Side to = parseSide(triple(targetOrigin, "no target origin"), region, targetRowPitch, targetSlicePitch);
    checkInside(from, region, *source);
    checkInside(to, region, *target);
    check(source.get() != target.get() || (from.rowPitch == to.rowPitch && from.slicePitch == to.slicePitch),
          CL_INVALID_VALUE, "within one buffer both sides have the same pitches");
    if (source->overlaps(from.first, *target, to.first,
                         std::max(endOf(from, region) - from.first, endOf(to, region) - to.first))) {
      Side absoluteFrom = from, absoluteTo = to;
      absoluteFrom.first += source->origin();
      absoluteTo.first += target->origin();
      check(!shareBytes(absoluteFrom, absoluteTo, region), CL_MEM_COPY_OVERLAP,
            "source and target have bytes in common");
    }
    Waits waits(queue->context(), waitCount, waitEvents);
    Command command =
        rectCommand(bytesOf(*queue, source, from, region), from, bytesOf(*queue, target, to, region), to, region);
    // No byte is on both sides, so the order of rows does not matter even where the bounds overlap.
    std::get<Copy>(command).mayOverlap = false;
    give(queue->submit(CL_COMMAND_COPY_BUFFER_RECT, std::move(command), waits), out);
  });
}

} // namespace clotho::api
